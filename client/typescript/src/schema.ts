// Written by generate.mjs of ../openapi.json: do not change it.

export interface paths {
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say that the process runs
         * @description For anybody.
         */
        get: operations["get-healthz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metrics for Prometheus
         * @description For keys with the scope metrics or admin.
         */
        get: operations["get-metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say whether the database answers and has room for changes, and the collections are loaded
         * @description For anybody.
         */
        get: operations["get-readyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was done and by whom, the latest first
         * @description For keys with the scope admin.
         */
        get: operations["get-audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/backup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Copy the database to a file on the machine of the service
         * @description For keys with the scope admin.
         */
        post: operations["create-backup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List collections
         * @description For keys with the scope identify or enrol or review or admin.
         */
        get: operations["list-collections"];
        put?: never;
        /**
         * Create a collection
         * @description For keys with the scope enrol or admin.
         */
        post: operations["create-collection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a collection
         * @description For keys with the scope identify or enrol or review or admin.
         */
        get: operations["get-collection"];
        put?: never;
        post?: never;
        /**
         * Delete a collection with all that is in it, for good
         * @description For keys with the scope admin.
         */
        delete: operations["delete-collection"];
        options?: never;
        head?: never;
        /**
         * Rename a collection, or set how many strangers may be named
         * @description For keys with the scope review or admin.
         */
        patch: operations["change-collection"];
        trace?: never;
    };
    "/v1/collections/{collection}/calibration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Error rates at the present threshold and at others
         * @description For keys with the scope identify or enrol or review or admin.
         */
        get: operations["get-calibration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/calibration/curve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Error rates at many shares of strangers, and the faces that another share decides otherwise
         * @description For keys with the scope identify or enrol or review or admin.
         */
        get: operations["get-calibration-curve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/compare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Compare the largest face in a photograph with those of others
         * @description For keys with the scope identify or admin.
         */
        post: operations["compare"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/detect": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Find the faces in a photograph
         * @description For keys with the scope identify or admin.
         */
        post: operations["detect"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the collection with all crops and vectors, a tar
         * @description For keys with the scope admin.
         */
        get: operations["get-export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/faces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List faces
         * @description For keys with the scope identify or enrol or review or admin.
         */
        get: operations["list-faces"];
        put?: never;
        /**
         * Add all faces in photographs, of nobody yet
         * @description For keys with the scope enrol or admin.
         */
        post: operations["add-faces"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/faces/deny": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say that faces are not those of a person
         * @description For keys with the scope review or admin.
         */
        post: operations["deny-faces"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/faces/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say whose faces these are
         * @description For keys with the scope review or admin.
         */
        post: operations["move-faces"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/faces/{face}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a face
         * @description For keys with the scope identify or enrol or review or admin.
         */
        get: operations["get-face"];
        put?: never;
        post?: never;
        /**
         * Delete a face, for good
         * @description For keys with the scope review or admin.
         */
        delete: operations["delete-face"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/faces/{face}/crop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the aligned crop of a face, a PNG
         * @description For keys with the scope identify or enrol or review or admin.
         */
        get: operations["get-face-crop"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/faces/{face}/why": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say why a stored face is recognised or not, without its label
         * @description For keys with the scope identify or enrol or review or admin.
         */
        get: operations["get-face-why"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/hooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List hooks
         * @description For keys with the scope admin.
         */
        get: operations["list-hooks"];
        put?: never;
        /**
         * Send messages about the collection to an address
         * @description For keys with the scope admin.
         */
        post: operations["create-hook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/hooks/{hook}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Send no more messages to an address
         * @description For keys with the scope admin.
         */
        delete: operations["delete-hook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/hooks/{hook}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List messages to an address of the last week, the latest first
         * @description For keys with the scope admin.
         */
        get: operations["list-hook-deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/hooks/{hook}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a message with the event ping
         * @description For keys with the scope admin.
         */
        post: operations["test-hook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/identify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Name the faces in a photograph
         * @description For keys with the scope identify or admin.
         */
        post: operations["identify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add all faces of many photographs, or of an archive of photographs (zip) or an export (tar), by a job
         * @description For keys with the scope enrol or admin.
         */
        post: operations["import"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List jobs, the latest first
         * @description For keys with the scope identify or enrol or review or admin.
         */
        get: operations["list-jobs"];
        put?: never;
        /**
         * Start a job; refit, regroup and album are there once, until they end
         * @description For keys with the scope admin.
         */
        post: operations["create-job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/jobs/{job}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a job
         * @description For keys with the scope identify or enrol or review or admin.
         */
        get: operations["get-job"];
        put?: never;
        post?: never;
        /**
         * Cancel a job, unless it has ended; what it has done stays
         * @description For keys with the scope enrol or admin.
         */
        delete: operations["delete-job"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/jobs/{job}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide on what a refit has found, if that is worse: accept it
         * @description For keys with the scope admin.
         */
        post: operations["accept-job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/jobs/{job}/discard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide on what a refit has found, if that is worse: discard it
         * @description For keys with the scope admin.
         */
        post: operations["discard-job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/jobs/{job}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow a job: server-sent events, each with the job
         * @description For keys with the scope identify or enrol or review or admin.
         */
        get: operations["get-job-events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/jobs/{job}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the file of an export, a tar, for a day
         * @description For keys with the scope admin.
         */
        get: operations["get-job-file"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/jobs/{job}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a job again that has failed
         * @description For keys with the scope admin.
         */
        post: operations["retry-job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what can be undone, the latest first
         * @description For keys with the scope review or admin.
         */
        get: operations["list-operations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/people": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List people
         * @description For keys with the scope identify or enrol or review or admin.
         */
        get: operations["list-people"];
        put?: never;
        /**
         * Create a person
         * @description For keys with the scope enrol or admin.
         */
        post: operations["create-person"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/people/{person}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a person
         * @description For keys with the scope identify or enrol or review or admin.
         */
        get: operations["get-person"];
        put?: never;
        post?: never;
        /**
         * Erase a person with all faces, for good
         * @description For keys with the scope admin.
         */
        delete: operations["delete-person"];
        options?: never;
        head?: never;
        /**
         * Rename or ignore a person
         * @description For keys with the scope review or admin.
         */
        patch: operations["change-person"];
        trace?: never;
    };
    "/v1/collections/{collection}/people/{person}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a person with all crops and vectors, a tar
         * @description For keys with the scope review or admin.
         */
        get: operations["get-person-export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/people/{person}/faces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add the face of the person in each photograph, or aligned crops, to a person: of several faces the one that the collection takes for the person, or the only unknown one; otherwise send its box
         * @description For keys with the scope enrol or admin.
         */
        post: operations["add-person-faces"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/people/{person}/merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Merge other people into a person
         * @description For keys with the scope review or admin.
         */
        post: operations["merge-person"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/people/{person}/photographs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the photographs of a person, by date
         * @description For keys with the scope review or admin.
         */
        get: operations["list-person-photographs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/people/{person}/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say how well a person is recognised, and what the faces lack
         * @description For keys with the scope identify or enrol or review or admin.
         */
        get: operations["get-person-statistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/people/{person}/vectors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a face of which another program has made a vector to a person
         * @description For keys with the scope enrol or admin.
         */
        post: operations["add-person-vectors"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/photographs/{photo}/original": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the original of a photograph, as it is in the folder that the operator allows
         * @description For keys with the scope review or admin.
         */
        get: operations["get-photograph-original"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/photographs/{photo}/thumbnail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a small copy of a photograph, a JPEG of at most 320 pixels a side
         * @description For keys with the scope review or admin.
         */
        get: operations["get-photograph-thumbnail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/refit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say what a refit would change, and how long it takes
         * @description For keys with the scope identify or enrol or review or admin.
         */
        get: operations["get-refit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/review": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Groups of similar faces of nobody yet, the largest first
         * @description For keys with the scope review or admin.
         */
        get: operations["get-review"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/review/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count what waits to be decided
         * @description For keys with the scope review or admin.
         */
        get: operations["get-review-count"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/review/decide": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide whose faces these are; each decision is made whole or not at all, in their order, up to the first that fails
         * @description For keys with the scope review or admin.
         */
        post: operations["decide-review"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/review/sure": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Faces of nobody yet that surely show a known person, by person
         * @description For keys with the scope review or admin.
         */
        get: operations["get-review-sure"];
        put?: never;
        /**
         * Name all faces of nobody yet that surely show a known person, which one operation undoes
         * @description For keys with the scope review or admin.
         */
        post: operations["sure-review"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say whether the people in a photograph were here before: find the most similar faces of nobody yet
         * @description For keys with the scope identify or admin.
         */
        post: operations["search"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say how well people are recognised
         * @description For keys with the scope identify or enrol or review or admin.
         */
        get: operations["get-statistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/strangers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add all faces in photographs of people who are not in the collection: they make its calibration surer, and never become people
         * @description For keys with the scope enrol or admin.
         */
        post: operations["add-strangers"];
        /**
         * Delete the faces of strangers, for good
         * @description For keys with the scope review or admin.
         */
        delete: operations["delete-strangers"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/undo/{operation}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo an operation
         * @description For keys with the scope review or admin.
         */
        post: operations["undo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say whether two photographs a and b, or a and a person (an id), are of the same person
         * @description For keys with the scope identify or admin.
         */
        post: operations["verify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{collection}/visitors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the visitors: faces that identify did not recognise, by person, the latest first
         * @description For keys with the scope review or admin.
         */
        get: operations["list-visitors"];
        put?: never;
        post?: never;
        /**
         * Forget all visitors: delete their faces, for good
         * @description For keys with the scope review or admin.
         */
        delete: operations["delete-visitors"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow the collections: a server-sent event when one of them has changed
         * @description For keys with the scope identify or enrol or review or admin.
         */
        get: operations["get-events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List keys, and the people who have logged in
         * @description For keys with the scope admin.
         */
        get: operations["list-keys"];
        put?: never;
        /**
         * Create a key; the first one needs the scope admin
         * @description For keys with the scope admin.
         */
        post: operations["create-key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/keys/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a key
         * @description For keys with the scope admin.
         */
        delete: operations["delete-key"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Say who sends the request, and what that key or person may do
         * @description For keys with the scope identify or enrol or review or admin or metrics or vectors.
         */
        get: operations["get-session"];
        put?: never;
        /**
         * Start a session with the key of the header Authorization, for a page: it is in a cookie, and ends after 12 hours without use
         * @description For keys with the scope identify or enrol or review or admin or metrics or vectors.
         */
        post: operations["create-session"];
        /**
         * End the session of the cookie; the header Location of the answer is where a browser ends the one at the provider of the login
         * @description For keys with the scope identify or enrol or review or admin or metrics or vectors.
         */
        delete: operations["delete-session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Accepted: {
            items: components["schemas"]["SurePerson"][];
            /** @description For undo, of all; missing if there was no such face */
            operation?: string;
        };
        Added: {
            faces: components["schemas"]["Face"][];
            /** @description For undo, one a photograph */
            operations: string[];
            refused: components["schemas"]["Refusal"][];
            /** @description Faces that the collection takes for somebody else, and damaged files; they were added all the same */
            warnings?: components["schemas"]["Warning"][];
        };
        AddedStrangers: {
            /**
             * Format: int64
             * @description How many look so much like somebody of the collection that they are probably no strangers
             */
            alike: number;
            /** Format: int64 */
            faces: number;
            /**
             * Format: int64
             * @description With very many people only some are compared with all of them
             */
            used: number;
            /** @description Why none of them is used: the threshold would be useless */
            useless?: string;
        };
        AlbumResult: {
            /** Format: int64 */
            bytes: number;
            /**
             * Format: int64
             * @description With a face of the collection
             */
            photos: number;
            /** @description Photographs that could not be read, the first 500 */
            refused: components["schemas"]["RefusedFile"][];
        };
        AuditLine: {
            actor: string;
            /** Format: date-time */
            at: string;
            /** @description SHA-256 of the line and the hash before */
            hash: string;
            object: string;
            /** @description Of the person, of whose face it is, of the collection or key, or the kind of the operation, as far as it is there */
            object_name?: string;
            /** Format: int64 */
            seq: number;
            verb: string;
            /** @description Name of the actor, if that is a key, or name and e-mail address of somebody who has logged in */
            who?: string;
        };
        Backup: {
            /** Format: int64 */
            bytes: number;
            /** @description Name in the folder of backups */
            file: string;
        };
        Box: {
            /** Format: int64 */
            height: number;
            /** Format: int64 */
            width: number;
            /** Format: int64 */
            x: number;
            /** Format: int64 */
            y: number;
        };
        Calibration: {
            /** Format: int64 */
            faces: number;
            /**
             * Format: double
             * @description Share of strangers who may be named
             */
            fpir: number;
            given: components["schemas"]["AddedStrangers"];
            /**
             * Format: int64
             * @description Who have faces
             */
            people: number;
            /** @description On held-out faces, at this and other rates */
            rates: components["schemas"]["Rates"][];
            /** @description Missing if nobody is enrolled */
            strangers?: components["schemas"]["Strangers"];
            /**
             * Format: double
             * @description Least evidence of a face that is named; null if nobody is enrolled
             */
            threshold: number | null;
        };
        Candidate: {
            /** @description Of the person; only in answers of the service */
            id?: string;
            name: string;
            /**
             * Format: double
             * @description A higher score means more likely
             */
            score: number;
        };
        ChangeCollectionRequest: {
            /** @description Set the rate also if nearly no enrolled face gets its name */
            force?: boolean;
            /** Format: double */
            fpir?: number;
            name?: string;
            /**
             * Format: int64
             * @description For so many days faces that identify does not recognise are kept, at most 1000, as visitors; 0: none, and those that are kept are deleted. Needs the scope admin
             */
            visitor_days?: number;
        };
        Cluster: {
            /** @description Those of faces that look like another person than the rest: two people? */
            apart?: string[];
            /** @description Of state=conflict */
            conflict?: components["schemas"]["Conflict"];
            faces: string[];
            /** @description Who it may be; missing if nobody is enrolled who is not ruled out */
            guess?: components["schemas"]["Guess"];
            /** @description The faces may be of several people who look alike */
            may_be_several?: boolean;
        };
        Collection: {
            /** Format: date-time */
            created: string;
            /**
             * Format: double
             * @description Share of strangers who may be named
             */
            fpir: number;
            id: string;
            name: string;
            /** @description Its faces are vectors of another network than those of new collections: a refit makes new ones, and compares */
            outdated?: boolean;
            /**
             * Format: int64
             * @description Grows with each change of what is in it
             */
            version: number;
            /**
             * Format: int64
             * @description For so many days the faces that identify does not recognise are kept as visitors; 0: they are not kept
             */
            visitor_days: number;
        };
        CollectionFields: {
            /** Format: double */
            fpir?: number;
            name?: string;
        };
        Compared: {
            /** @description Missing for a crop */
            box?: components["schemas"]["Box"];
            /**
             * Format: int64
             * @description Number of other faces in the photograph
             */
            others: number;
        };
        ComparedPhoto: {
            /** @description That was compared, the largest */
            face: components["schemas"]["Compared"];
            /**
             * Format: double
             * @description Share of other people who are as similar
             */
            false_match_rate: number | null;
            /** @description Why the photograph cannot be used */
            refused?: string;
            same: boolean;
            /**
             * Format: double
             * @description Of the largest face; null if there is none that can be used
             */
            similarity: number | null;
            /** @description What is wrong with the file, which was used all the same */
            warnings?: string[];
        };
        Comparisons: {
            /** @description That was compared, the largest of a */
            face: components["schemas"]["Compared"];
            /**
             * Format: double
             * @description Highest false match rate of the same person
             */
            fmr: number;
            /** @description In the order in which they were sent */
            photos: components["schemas"]["ComparedPhoto"][];
            /** @description What is wrong with a, which was used all the same */
            warnings?: string[];
        };
        Conflict: {
            /**
             * @description photo: several faces of one photograph are labelled as one person; label: the face looks like somebody else; apart: these faces look like one other person than the rest of the faces; pair: the two faces of the person do not look like one person
             * @enum {string}
             */
            kind: "photo" | "label" | "apart" | "pair";
            /** @description The label */
            person: components["schemas"]["Ref"];
        };
        CreatedKey: {
            /** @description Which it is for; missing: all */
            collections?: string[];
            /** Format: date-time */
            created: string;
            /** @description Of somebody who has logged in */
            email?: string;
            /** Format: date-time */
            expires?: string;
            id: string;
            /** @description For the header Authorization: Bearer …; it is not shown again */
            key: string;
            name: string;
            scopes: string[];
            /** @description Of somebody who has logged in: id at the provider */
            subject?: string;
        };
        CreatedPerson: {
            /** @description Date of birth, 2015-03-28, 2015-03 or 2015 */
            born?: string;
            /** Format: date-time */
            created: string;
            /** @description Ids of people who look alike and are somebody else */
            different?: string[];
            /** Format: int64 */
            faces: number;
            id: string;
            /**
             * @description The faces of ignored people are reported as unknown
             * @enum {string}
             */
            kind: "known" | "ignored";
            /** @description When and where identify recognised the person last */
            last_seen?: components["schemas"]["Sight"];
            name: string;
            /** @description For undo */
            operation: string;
            /** @description The face that was chosen, or the one with the best crop */
            portrait?: string;
        };
        Curve: {
            /** @description By evidence; those between two thresholds are decided otherwise at one than at the other */
            faces: components["schemas"]["Placed"][];
            /**
             * Format: double
             * @description The present share
             */
            fpir: number;
            given: components["schemas"]["AddedStrangers"];
            /**
             * Format: int64
             * @description Faces in the collection, of which Faces has some
             */
            of: number;
            points: components["schemas"]["CurvePoint"][];
        };
        CurvePoint: {
            /** Format: double */
            fpir: number;
            /** Format: int64 */
            held: number;
            /** @description Share of held-out faces with the right name */
            right: components["schemas"]["Share"];
            strangers?: components["schemas"]["Strangers"];
            /** Format: double */
            threshold: number;
            /** @description Share of held-out faces with a wrong name */
            wrong: components["schemas"]["Share"];
        };
        DecideReviewRequest: {
            decisions: components["schemas"]["Decision"][];
        };
        Decided: {
            /** @description For undo, the last one first; none for discard */
            operations: string[];
            person?: string;
        };
        Decision: {
            /** @description Id of the person who has all these faces now, as far as you know, or none. If another decision has changed that meanwhile, nothing is done, and the answer is 409 with whose the faces are. Missing: whoever has them */
            expected?: string;
            faces: string[];
            /** @description Of a new person; for is */
            name?: string;
            /** @description The new person has a name that another one has, too */
            namesake?: boolean;
            /** @description Id; for is and is_not */
            person?: string;
            /**
             * @description is and is_not: of a person; ignore: somebody whose faces are reported as unknown; discard: delete them, they are no faces
             * @enum {string}
             */
            verb: "is" | "is_not" | "ignore" | "discard";
        };
        Delivery: {
            /** Format: int64 */
            attempts: number;
            /** Format: date-time */
            created: string;
            /** @description Of the last attempt */
            error?: string;
            event: string;
            /** Format: date-time */
            finished?: string;
            id: string;
            /** @enum {string} */
            state: "waiting" | "running" | "done" | "failed" | "cancelled";
        };
        Detected: {
            box?: components["schemas"]["Box"];
            /** @description Parts of the face that are probably covered: eyes, mouth, or eyes and mouth */
            covered?: string;
            pupils?: components["schemas"]["Point"][];
            quality?: components["schemas"]["Quality"];
            /** @description Why the face cannot be used */
            refused?: string;
            /** @description With vectors=true */
            vector?: number[];
        };
        Detection: {
            /** @description The largest first */
            faces: components["schemas"]["Detected"][];
            size: components["schemas"]["Size"];
            /** @description Which network made the vectors; only with them */
            space?: string;
            /** @description What is wrong with the file, which was used all the same */
            warnings?: string[];
        };
        Done: {
            /** @description For undo */
            operation: string;
        };
        EraseResult: {
            /** @description Each as DELETE people/{person} returns it */
            receipts: components["schemas"]["Receipt"][];
        };
        ErrorDetail: {
            /** @description Where the error occurred, e.g. 'body.items[3].tags' or 'path.thing-id' */
            location?: string;
            /** @description Error message text */
            message?: string;
            /** @description The value at the given location */
            value?: unknown;
        };
        Explained: {
            box?: components["schemas"]["Box"];
            /** @description Parts of the face that are probably covered: eyes, mouth, or eyes and mouth */
            covered?: string;
            /** Format: date-time */
            created: string;
            /** @enum {string} */
            decision: "known" | "doubtful" | "unknown";
            guess?: components["schemas"]["Ref"];
            id: string;
            /**
             * Format: double
             * @description The evidence for the guess
             */
            margin: number | null;
            /** @description The service has the file of the photograph, in the folder that its operator allows */
            original?: boolean;
            /** @description Id; missing for a face of nobody yet */
            person?: string;
            photo?: string;
            /**
             * Format: double
             * @description That the guess is right
             */
            probability: number | null;
            pupils?: components["schemas"]["Point"][];
            quality?: components["schemas"]["Quality"];
            reasons: components["schemas"]["Reasons"];
            /** @enum {string} */
            source: "upload" | "crop" | "vector" | "import";
            why: string;
        };
        ExportResult: {
            /** Format: int64 */
            bytes: number;
            /** Format: int64 */
            faces: number;
            /** Format: int64 */
            people: number;
        };
        Face: {
            box?: components["schemas"]["Box"];
            /** @description Parts of the face that are probably covered: eyes, mouth, or eyes and mouth */
            covered?: string;
            /** Format: date-time */
            created: string;
            id: string;
            /** @description Id; missing for a face of nobody yet */
            person?: string;
            photo?: string;
            pupils?: components["schemas"]["Point"][];
            quality?: components["schemas"]["Quality"];
            /** @enum {string} */
            source: "upload" | "crop" | "vector" | "import";
        };
        FaceList: {
            /** @description Id of the person who has all these faces now, as far as you know, or none. If another decision has changed that meanwhile, nothing is done, and the answer is 409 with whose the faces are. Missing: whoever has them */
            expected?: string;
            faces: string[];
            /** @description Id; empty for nobody */
            person: string;
        };
        Guess: {
            /** @enum {string} */
            decision: "known" | "doubtful" | "unknown";
            id: string;
            /**
             * Format: double
             * @description The evidence for the person
             */
            margin: number | null;
            name: string;
            /** Format: double */
            probability: number | null;
        };
        HeldOut: {
            /** Format: int64 */
            faces: number;
            /**
             * Format: int64
             * @description Of these, how many got a name
             */
            named: number;
            /**
             * Format: int64
             * @description Named, and rightly
             */
            right: number;
            /**
             * Format: int64
             * @description Faces of people who were left out
             */
            strangers: number;
            /** Format: double */
            threshold: number;
            /**
             * Format: int64
             * @description Named as somebody else
             */
            wrong: number;
        };
        Holder: {
            face: string;
            name: string;
            /** @description Id; empty for nobody */
            person: string;
        };
        Hook: {
            /** Format: date-time */
            created: string;
            events: string[];
            id: string;
            names: boolean;
            /** @description Key of the signature; shown once */
            secret?: string;
            url: string;
        };
        HookRequest: {
            events: ("faces.added" | "person.changed" | "person.erased" | "job.finished" | "photo.known" | "photo.unknown" | "photo.none")[];
            /** @description Messages have the names of people, and not only their ids */
            names?: boolean;
            /** @description http or https; not of a private network unless the service allows it */
            url: string;
        };
        ImportResult: {
            /**
             * Format: int64
             * @description Photographs or faces that were there
             */
            duplicates: number;
            /** Format: int64 */
            faces: number;
            /**
             * Format: int64
             * @description Who are new
             */
            people: number;
            /** Format: int64 */
            photos: number;
            /** @description The first 500 */
            refused: components["schemas"]["RefusedFile"][];
            /**
             * Format: int64
             * @description Files that are no images
             */
            skipped: number;
            /** @description With tags=regions: the photographs with face tags, the first 500 */
            tagged?: components["schemas"]["TaggedFile"][];
            /** @description Photographs of people that the collection takes for somebody else, damaged files, and tags that could not be used, the first 500; they were added all the same */
            warnings?: components["schemas"]["RefusedFile"][];
        };
        Job: {
            /**
             * Format: int64
             * @description Since there was progress; after three a job has failed
             */
            attempts: number;
            /** Format: date-time */
            created: string;
            /** @description Of the last attempt */
            error?: string;
            /** Format: date-time */
            finished?: string;
            id: string;
            /** @enum {string} */
            kind: "import" | "refit" | "regroup" | "erase" | "export" | "tags" | "album";
            progress: components["schemas"]["Progress"];
            /** @description ImportResult, RefitResult, RegroupResult, EraseResult, ExportResult, TagResult or AlbumResult */
            result?: components["schemas"]["ImportResult"] | components["schemas"]["RefitResult"] | components["schemas"]["RegroupResult"] | components["schemas"]["EraseResult"] | components["schemas"]["ExportResult"] | components["schemas"]["AlbumResult"];
            /** @enum {string} */
            state: "waiting" | "running" | "done" | "failed" | "cancelled";
            /**
             * Format: int64
             * @description Grows with every change of the job
             */
            version: number;
        };
        JobRequest: {
            /** @enum {string} */
            kind: "refit" | "regroup" | "erase" | "export" | "album";
            /** @description erase: ids of the people */
            people?: string[];
        };
        Judged: {
            /** Format: double */
            evidence: number;
            face: string;
            guess: components["schemas"]["Ref"];
            known: boolean;
        };
        Key: {
            /** @description Which it is for; missing: all */
            collections?: string[];
            /** Format: date-time */
            created: string;
            /** @description Of somebody who has logged in */
            email?: string;
            /** Format: date-time */
            expires?: string;
            id: string;
            name: string;
            scopes: string[];
            /** @description Of somebody who has logged in: id at the provider */
            subject?: string;
        };
        Log: {
            /** @description With check: which line is not what was written; missing if all are */
            damaged?: string;
            items: components["schemas"]["AuditLine"][];
            /** @description Cursor of the next page; missing on the last one */
            next?: string;
        };
        MergePersonRequest: {
            from: string[];
        };
        Near: {
            box?: components["schemas"]["Box"];
            /**
             * Format: double
             * @description Share of people who were never here and are as similar to one of all faces that were compared
             */
            by_chance: number;
            /** @description Parts of the face that are probably covered: eyes, mouth, or eyes and mouth */
            covered?: string;
            /** Format: date-time */
            created: string;
            /**
             * Format: double
             * @description Share of other people who are as similar
             */
            false_match_rate: number;
            id: string;
            /** @description Id; missing for a face of nobody yet */
            person?: string;
            photo?: string;
            pupils?: components["schemas"]["Point"][];
            quality?: components["schemas"]["Quality"];
            /**
             * Format: double
             * @description Cosine of the vectors
             */
            similarity: number;
            /** @enum {string} */
            source: "upload" | "crop" | "vector" | "import";
        };
        NearGroup: {
            /**
             * Format: double
             * @description Share of people who were never here and are as similar to one of all faces that were compared
             */
            by_chance: number;
            faces: string[];
            /**
             * Format: double
             * @description Share of other people who are as similar
             */
            false_match_rate: number;
            /**
             * Format: double
             * @description Cosine of the vectors
             */
            similarity: number;
        };
        NewKey: {
            /** @description Ids of those that it is for; missing: all, and what is of none */
            collections?: string[];
            /**
             * Format: date-time
             * @description A time to come; missing: never
             */
            expires?: string;
            name: string;
            scopes: ("identify" | "enrol" | "review" | "admin" | "metrics" | "vectors")[];
        };
        Operation: {
            actor: string;
            /** Format: date-time */
            at: string;
            /**
             * Format: int64
             * @description That it changed
             */
            faces: number;
            id: string;
            kind: string;
            /** @description The people that it changed, with the names that they had, or added; otherwise those whose the faces are */
            people: components["schemas"]["Ref"][];
            undone: boolean;
        };
        PageCluster: {
            items: components["schemas"]["Cluster"][];
            /** @description Cursor of the next page; missing on the last one */
            next?: string;
        };
        PageCollection: {
            items: components["schemas"]["Collection"][];
            /** @description Cursor of the next page; missing on the last one */
            next?: string;
        };
        PageDecided: {
            items: components["schemas"]["Decided"][];
            /** @description Cursor of the next page; missing on the last one */
            next?: string;
        };
        PageDelivery: {
            items: components["schemas"]["Delivery"][];
            /** @description Cursor of the next page; missing on the last one */
            next?: string;
        };
        PageFace: {
            items: components["schemas"]["Face"][];
            /** @description Cursor of the next page; missing on the last one */
            next?: string;
        };
        PageHook: {
            items: components["schemas"]["Hook"][];
            /** @description Cursor of the next page; missing on the last one */
            next?: string;
        };
        PageJob: {
            items: components["schemas"]["Job"][];
            /** @description Cursor of the next page; missing on the last one */
            next?: string;
        };
        PageKey: {
            items: components["schemas"]["Key"][];
            /** @description Cursor of the next page; missing on the last one */
            next?: string;
        };
        PageOperation: {
            items: components["schemas"]["Operation"][];
            /** @description Cursor of the next page; missing on the last one */
            next?: string;
        };
        PagePerson: {
            items: components["schemas"]["Person"][];
            /** @description Cursor of the next page; missing on the last one */
            next?: string;
        };
        PageShownIn: {
            items: components["schemas"]["ShownIn"][];
            /** @description Cursor of the next page; missing on the last one */
            next?: string;
        };
        PageStatistics: {
            items: components["schemas"]["Statistics"][];
            /** @description Cursor of the next page; missing on the last one */
            next?: string;
        };
        PageSurePerson: {
            items: components["schemas"]["SurePerson"][];
            /** @description Cursor of the next page; missing on the last one */
            next?: string;
        };
        PageVisitor: {
            items: components["schemas"]["Visitor"][];
            /** @description Cursor of the next page; missing on the last one */
            next?: string;
        };
        Person: {
            /** @description Date of birth, 2015-03-28, 2015-03 or 2015 */
            born?: string;
            /** Format: date-time */
            created: string;
            /** @description Ids of people who look alike and are somebody else */
            different?: string[];
            /** Format: int64 */
            faces: number;
            id: string;
            /**
             * @description The faces of ignored people are reported as unknown
             * @enum {string}
             */
            kind: "known" | "ignored";
            /** @description When and where identify recognised the person last */
            last_seen?: components["schemas"]["Sight"];
            name: string;
            /** @description The face that was chosen, or the one with the best crop */
            portrait?: string;
        };
        PersonChange: {
            /** @description Date of birth, 2015-03-28, 2015-03 or 2015; empty: not known. Photographs that were taken more than two days before it do not show the person */
            born?: string;
            /** @description Ids of people who look alike and are somebody else: a face has to be clearly more similar to this person to get the name */
            different?: string[];
            /** @enum {string} */
            kind?: "known" | "ignored";
            name?: string;
            /** @description Somebody else may have the name; otherwise the answer is 409 with the id of that person */
            namesake?: boolean;
            /** @description Id of a face of the person, which stands for the person in lists; empty: the one with the best crop */
            portrait?: string;
        };
        PersonFields: {
            /** @enum {string} */
            kind?: "known" | "ignored";
            name?: string;
            /** @description Somebody else may have the name; otherwise the answer is 409 with the id of that person */
            namesake?: boolean;
        };
        Placed: {
            /** Format: double */
            evidence: number;
            face: string;
            guess: components["schemas"]["Ref"];
            /** @description Missing for nobody yet */
            person?: components["schemas"]["Ref"];
        };
        Point: {
            /** Format: double */
            x: number;
            /** Format: double */
            y: number;
        };
        Problem: {
            /** @description What is wrong, for programs; doc/service.md lists all */
            code: string;
            /**
             * @description A human-readable explanation specific to this occurrence of the problem.
             * @example Property foo is required but is missing.
             */
            detail?: string;
            /** @description Optional list of individual error details */
            errors?: components["schemas"]["ErrorDetail"][];
            /** @description Of what is there already */
            id?: string;
            /**
             * Format: uri
             * @description A URI reference that identifies the specific occurrence of the problem.
             * @example https://example.com/error-log/abc123
             */
            instance?: string;
            /** @description Whose the faces are on which somebody else has decided meanwhile */
            now?: components["schemas"]["Holder"][];
            /**
             * Format: int64
             * @description HTTP status code
             * @example 400
             */
            status?: number;
            /**
             * @description A short, human-readable summary of the problem type. This value should not change between occurrences of the error.
             * @example Bad Request
             */
            title?: string;
            /**
             * Format: uri
             * @description A URI reference to human-readable documentation for the error.
             * @default about:blank
             * @example https://example.com/errors/example
             */
            type: string;
        };
        Progress: {
            /** Format: int64 */
            done: number;
            /**
             * Format: int64
             * @description 0: not known yet
             */
            total: number;
        };
        Quality: {
            /** Format: double */
            angle: number;
            /** Format: double */
            detection: number;
            /** Format: double */
            exposure: number;
            /** Format: double */
            eyes: number;
            /** Format: double */
            sharpness: number;
        };
        Rates: {
            extrapolated: boolean;
            /** Format: double */
            fpir: number;
            /** Format: double */
            guess: number;
            /** Format: int64 */
            held: number;
            present: boolean;
            /** Format: double */
            right: number;
            /** Format: double */
            threshold: number;
            /** Format: double */
            wrong: number;
        };
        Reasons: {
            /** @description The most similar people, the most similar first */
            like: components["schemas"]["Resembling"][];
            /**
             * Format: int64
             * @description Number of people that the face was compared with
             */
            people: number;
            /** @description In words: good, or what is among the worst 1 % of photographs */
            quality?: string;
            /**
             * Format: double
             * @description Least evidence of a face that is named
             */
            threshold: number | null;
        };
        Receipt: {
            /** Format: date-time */
            at: string;
            faces: string[];
            /** Format: int64 */
            labels: number;
            /** Format: int64 */
            operations: number;
            person: string;
            photos: string[];
        };
        Ref: {
            id: string;
            name: string;
        };
        RefitPreview: {
            /**
             * Format: int64
             * @description All of the collection
             */
            faces: number;
            /** @description The vectors would be those of another network */
            outdated?: boolean;
            /**
             * Format: int64
             * @description People who have only such faces: they would not be recognised, so that the refit waits for a decision
             */
            people_without: number;
            /**
             * Format: double
             * @description About how long the network takes for all of them, by the rate in this process; missing if it is not known
             */
            seconds?: number;
            /**
             * Format: int64
             * @description Faces whose crop would get a vector of that network
             */
            to_embed: number;
            /**
             * Format: int64
             * @description Faces that can get none, since no crop of them is kept. They stay, and do not help to recognise
             */
            without: number;
        };
        RefitResult: {
            candidate?: components["schemas"]["HeldOut"];
            /** @enum {string} */
            decision?: "swapped" | "needed" | "accepted" | "discarded";
            /**
             * Format: int64
             * @description Faces that got a vector of the present network
             */
            embedded: number;
            live?: components["schemas"]["HeldOut"];
            /** @enum {string} */
            verdict?: "first" | "same" | "better" | "worse";
            /**
             * Format: int64
             * @description Faces that got none, since they have no crop, or one that the network cannot use. They stay, and do not help to recognise
             */
            without?: number;
        };
        Refusal: {
            box?: components["schemas"]["Box"];
            /**
             * Format: int64
             * @description Number in the form, from 0
             */
            file: number;
            why: string;
        };
        RefusedFile: {
            name: string;
            why: string;
        };
        RegroupResult: {
            /** Format: int64 */
            faces: number;
            /** Format: int64 */
            groups: number;
        };
        Removed: {
            /** Format: int64 */
            faces: number;
        };
        Resembling: {
            /**
             * Format: double
             * @description -log10 of the share of strangers who resemble anybody here as much
             */
            evidence: number;
            /** Format: int64 */
            faces: number;
            id: string;
            /** @enum {string} */
            kind: "known" | "ignored";
            name: string;
            /** @description The most similar faces of the person, the most similar first */
            nearest: components["schemas"]["Similar"][];
            /**
             * Format: double
             * @description Cosine with the mean of the faces of the person
             */
            score: number;
        };
        Search: {
            /** @description The largest first */
            faces: components["schemas"]["Searched"][];
            /**
             * Format: int64
             * @description Faces of nobody yet with which each face was compared
             */
            searched: number;
            size: components["schemas"]["Size"];
            /** @description Which network made the vectors; only with them */
            space?: string;
            /** @description What is wrong with the file, which was used all the same */
            warnings?: string[];
        };
        Searched: {
            box?: components["schemas"]["Box"];
            /** @description Parts of the face that are probably covered: eyes, mouth, or eyes and mouth */
            covered?: string;
            /** @description The 50 most similar faces by person, as far as people can be distinguished; the group that is least by chance first */
            groups: components["schemas"]["NearGroup"][];
            /** @description The most similar faces, the most similar one first */
            nearest: components["schemas"]["Near"][];
            pupils?: components["schemas"]["Point"][];
            quality?: components["schemas"]["Quality"];
            /** @description Why the face cannot be used */
            refused?: string;
            /** @description Whether the same person is among the faces of nobody yet: the first group, or the nearest face, is by chance as similar for at most the share of strangers that the collection accepts (fpir) */
            seen: boolean;
            /** @description With vectors=true */
            vector?: number[];
        };
        Session: {
            /** @description Id of the key or person, as in the audit log; local without a key */
            actor: string;
            /** @description Which may be used; missing: all */
            collections?: string[];
            /** @description Of who has logged in */
            email?: string;
            /** Format: date-time */
            expires?: string;
            /** @description Of the key, or of who has logged in */
            name?: string;
            scopes: string[];
        };
        Share: {
            /** Format: double */
            least: number;
            /** Format: double */
            most: number;
            /** Format: double */
            rate: number;
        };
        Shown: {
            box?: components["schemas"]["Box"];
            /** @description Parts of the face that are probably covered: eyes, mouth, or eyes and mouth */
            covered?: string;
            /** @description JPEG, base64 */
            crop?: string;
            /** @enum {string} */
            decision: "known" | "doubtful" | "unknown" | "refused";
            /** @description The most likely person, the first of top */
            guess: string | null;
            /** @description The margin reaches the threshold */
            known: boolean;
            /**
             * Format: double
             * @description Compared with the threshold: with a network the evidence, else the best score minus the second
             */
            margin: number | null;
            /** @description The guess for an unknown face, if it is not improbable */
            maybe?: string;
            /** @description Null for an unknown face, and for one that cannot be used */
            name: string | null;
            /** @description Id of the person with this name; null without a name */
            person: string | null;
            /**
             * Format: double
             * @description That the guess is right
             */
            probability: number | null;
            pupils?: components["schemas"]["Point"][];
            quality?: components["schemas"]["Quality"];
            reasons?: components["schemas"]["Reasons"];
            /** @description Why the face cannot be used */
            refused?: string;
            /** @description The face is too similar to this person to get the name of maybe, who is known to be somebody else */
            rival?: string;
            /**
             * Format: double
             * @description Of the guess
             */
            score: number | null;
            /** @description The name that the face would have, if another face of the photograph did not have it with a better score */
            taken?: string;
            /** @description The most likely people, the most likely first */
            top: components["schemas"]["Candidate"][];
            /** @description The enrolled face with equal values: its name does not show how well others are recognised */
            trained?: string;
            /** @description The name that the face would have, if that person had been born when the photograph was taken */
            unborn?: string;
            /** @description The reason for the decision, in a sentence */
            why: string;
        };
        ShownIn: {
            /** Format: date-time */
            added: string;
            /** @description The faces in it that are in the collection, also those of others */
            faces: components["schemas"]["Face"][];
            id: string;
            /** @description The service has the file, in the folder that its operator allows */
            original: boolean;
            /** @description Of the upright photograph; missing for an aligned crop */
            size?: components["schemas"]["Size"];
            /** @description When it was taken, by the clock of the camera: 2006-01-02T15:04:05. Missing if EXIF does not tell, or without the original */
            taken?: string;
        };
        ShownPhotograph: {
            faces: components["schemas"]["Shown"][];
            /** @description Why there are no faces */
            reason?: string;
            /** @description As the request has it */
            reference?: string;
            size: components["schemas"]["Size"];
            /**
             * Format: int64
             * @description Number of faces less than half as large as the largest, which are left out
             */
            smaller?: number;
            /** @description As the request has it */
            source?: string;
            /** @description What is wrong with the file, which was used all the same */
            warnings?: string[];
        };
        Sight: {
            /** @description What the client called the photograph */
            reference?: string;
            /** @description The camera, as the request to identify had it */
            source?: string;
            /** Format: date-time */
            time: string;
        };
        Similar: {
            /** Format: double */
            cosine: number;
            face: string;
        };
        Size: {
            /** Format: int64 */
            height: number;
            /** Format: int64 */
            width: number;
        };
        Statistics: {
            /** @description What the photographs lack */
            advice: string[];
            /** @description Only of a single person */
            faces?: components["schemas"]["Judged"][];
            /**
             * Format: int64
             * @description Faces that could be compared: none with a single face
             */
            held: number;
            /**
             * Format: int64
             * @description Of right: at or above the threshold
             */
            known: number;
            person: string;
            /**
             * Format: int64
             * @description Of held: with a right best guess
             */
            right: number;
            /** @description The other person that the faces resemble most */
            rival?: components["schemas"]["Ref"];
            /**
             * Format: int64
             * @description Of held: that resemble the rival more than the person
             */
            taken: number;
        };
        Strangers: {
            /** @description People as similar to those of the collection as these are to each other; from 0 to 1, which is unknown, with fewer than 20 people and given strangers */
            alike: components["schemas"]["Share"];
            /** @description People chosen at random */
            at_large: components["schemas"]["Share"];
        };
        SureFace: {
            face: string;
            /** Format: double */
            probability: number;
        };
        SurePerson: {
            /** @description The surest first */
            faces: components["schemas"]["SureFace"][];
            id: string;
            name: string;
        };
        SureReviewRequest: {
            /** @description Only these, as a preview has shown them; missing: all */
            faces?: string[];
            /**
             * Format: double
             * @default 0.99
             */
            probability: number;
        };
        TaggedFile: {
            name: string;
            /** @description Whose faces were added */
            people: string[];
            /** @description Why tags could not be read */
            problem?: string;
            /** @description Names without a face: none was found in the region, or it is not clear which of several it is */
            without: string[];
        };
        Vector: {
            /** @description Which network made it, as in an export */
            space: string;
            vector: number[];
        };
        Verification: {
            /** @description That were compared, the largest of each photograph */
            faces: components["schemas"]["Compared"][];
            /** Format: double */
            false_match_rate: number;
            /**
             * Format: double
             * @description Highest false match rate of the same person
             */
            fmr: number;
            same: boolean;
            /** Format: double */
            similarity: number;
            /** @description What is wrong with files, which were used all the same */
            warnings?: string[];
        };
        Visitor: {
            /** @description The latest first */
            faces: components["schemas"]["VisitorFace"][];
            /** @description Who it may be; missing if nobody is enrolled who is not ruled out */
            guess?: components["schemas"]["Guess"];
        };
        VisitorFace: {
            /**
             * Format: date-time
             * @description When it is deleted, at the latest an hour later, unless it gets a name
             */
            expires: string;
            /** @description Id */
            face: string;
            /** @description What the client called the photograph */
            reference?: string;
            /** @description The camera, as the request to identify had it */
            source?: string;
            /** Format: date-time */
            time: string;
        };
        Waiting: {
            /**
             * Format: int64
             * @description Labels that may be wrong; missing if it would take long to count them
             */
            conflicts?: number;
            /**
             * Format: int64
             * @description Faces or groups with a guess; missing if it would take long to count them
             */
            doubtful?: number;
            /**
             * Format: int64
             * @description People who were not recognised, and were kept
             */
            visitors: number;
        };
        Warning: {
            /** @description Id of the face that was added */
            face?: string;
            name: string;
            /** @description Id of the person that the collection takes it for; empty for a damaged file */
            person: string;
            why: string;
        };
    };
    responses: {
        /** @description The body is damaged */
        400: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description There is no key, or it is not known */
        401: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The key is for something else */
        403: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description There is no such thing */
        404: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body arrives too slowly */
        408: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The present state does not allow it */
        409: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is too large */
        413: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The body is of another type */
        415: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Something in the request is wrong */
        422: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Too many requests: try again later */
        429: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The database does not answer, or has no room */
        503: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description Another error */
        default: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "get-healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            default: components["responses"]["default"];
        };
    };
    "get-metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "get-readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "get-audit": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description Whether to check that no line was changed or removed since */
                check?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Log"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "create-backup": {
        parameters: {
            query?: never;
            header?: {
                /** @description Chosen by the client: sent again with it within a day, the request is answered as before and not carried out again */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Backup"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "list-collections": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageCollection"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "create-collection": {
        parameters: {
            query?: never;
            header?: {
                /** @description Chosen by the client: sent again with it within a day, the request is answered as before and not carried out again */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CollectionFields"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Collection"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "get-collection": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Collection"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "delete-collection": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "change-collection": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeCollectionRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Collection"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "get-calibration": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Calibration"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "get-calibration-curve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Curve"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    compare: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description image file
                     */
                    a: Blob;
                    photo?: Blob[];
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Comparisons"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    detect: {
        parameters: {
            query?: {
                /** @description With the vector of each face; the key needs the scope vectors, too */
                vectors?: "true";
            };
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description image file
                     */
                    photo: Blob;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Detection"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "get-export": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-tar": unknown;
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "list-faces": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description Faces of this person; none: of nobody yet; stranger: of strangers */
                person?: string;
            };
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageFace"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "add-faces": {
        parameters: {
            query?: {
                /** @description Leave out photographs that were added before */
                new?: "true";
                /** @description Take the face with these eyes only, x,y,x,y in pixels of the upright photograph, also where none is found */
                eyes?: string;
                /** @description Take the face in this box only, x,y,width,height in pixels of the upright photograph: one of several, or one that is not found */
                box?: string;
            };
            header?: {
                /** @description Chosen by the client: sent again with it within a day, the request is answered as before and not carried out again */
                "Idempotency-Key"?: string;
            };
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    photo: Blob[];
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Added"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "deny-faces": {
        parameters: {
            query?: never;
            header?: {
                /** @description Chosen by the client: sent again with it within a day, the request is answered as before and not carried out again */
                "Idempotency-Key"?: string;
            };
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FaceList"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "move-faces": {
        parameters: {
            query?: never;
            header?: {
                /** @description Chosen by the client: sent again with it within a day, the request is answered as before and not carried out again */
                "Idempotency-Key"?: string;
            };
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FaceList"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "get-face": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
                face: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Face"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "delete-face": {
        parameters: {
            query?: {
                /** @description Whose the face is, as far as you know, as in a decision */
                expected?: string;
            };
            header?: never;
            path: {
                collection: string;
                face: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "get-face-crop": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
                face: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "Content-Type"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "image/png": Blob;
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "get-face-why": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
                face: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Explained"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "list-hooks": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageHook"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "create-hook": {
        parameters: {
            query?: never;
            header?: {
                /** @description Chosen by the client: sent again with it within a day, the request is answered as before and not carried out again */
                "Idempotency-Key"?: string;
            };
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HookRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hook"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "delete-hook": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
                hook: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "list-hook-deliveries": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                collection: string;
                hook: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageDelivery"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "test-hook": {
        parameters: {
            query?: never;
            header?: {
                /** @description Chosen by the client: sent again with it within a day, the request is answered as before and not carried out again */
                "Idempotency-Key"?: string;
            };
            path: {
                collection: string;
                hook: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    identify: {
        parameters: {
            query?: {
                /** @description With a picture of each face, and the reasons */
                why?: "true";
                /** @description The camera that took the photograph, such as door: the answer and messages repeat it */
                source?: string;
                /** @description What the client calls the photograph: the answer and messages repeat it */
                reference?: string;
                /** @description Take the face with these eyes only, x,y,x,y in pixels of the upright photograph, also where none is found */
                eyes?: string;
                /** @description Take the face in this box only, x,y,width,height in pixels of the upright photograph: one of several, or one that is not found */
                box?: string;
            };
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description image file
                     */
                    photo: Blob;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ShownPhotograph"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    import: {
        parameters: {
            query?: {
                /** @description In a zip, Ann/1.jpg is of Ann */
                folders?: "people";
                /** @description The names are those of face tags, in the photographs and in sidecars a.jpg.xmp or a.xmp that are sent with them; faces without a tag are of nobody yet */
                tags?: "regions";
                /** @description The photographs are of people who are not in the collection, for its calibration */
                as?: "strangers";
            };
            header?: {
                /** @description Chosen by the client: sent again with it within a day, the request is answered as before and not carried out again */
                "Idempotency-Key"?: string;
            };
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description a zip of photographs, or an export (tar), instead of photo
                     */
                    archive?: Blob;
                    photo?: Blob[];
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "list-jobs": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                kind?: "import" | "refit" | "regroup" | "erase" | "export" | "tags" | "album";
                state?: "waiting" | "running" | "done" | "failed" | "cancelled";
            };
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageJob"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "create-job": {
        parameters: {
            query?: never;
            header?: {
                /** @description Chosen by the client: sent again with it within a day, the request is answered as before and not carried out again */
                "Idempotency-Key"?: string;
            };
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["JobRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "get-job": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "delete-job": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "accept-job": {
        parameters: {
            query?: never;
            header?: {
                /** @description Chosen by the client: sent again with it within a day, the request is answered as before and not carried out again */
                "Idempotency-Key"?: string;
            };
            path: {
                collection: string;
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "discard-job": {
        parameters: {
            query?: never;
            header?: {
                /** @description Chosen by the client: sent again with it within a day, the request is answered as before and not carried out again */
                "Idempotency-Key"?: string;
            };
            path: {
                collection: string;
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "get-job-events": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "get-job-file": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-tar": unknown;
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "retry-job": {
        parameters: {
            query?: never;
            header?: {
                /** @description Chosen by the client: sent again with it within a day, the request is answered as before and not carried out again */
                "Idempotency-Key"?: string;
            };
            path: {
                collection: string;
                job: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "list-operations": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageOperation"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "list-people": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description Only people with this in their name */
                search?: string;
                order?: "id" | "name" | "faces";
                kind?: "known" | "ignored";
            };
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PagePerson"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "create-person": {
        parameters: {
            query?: never;
            header?: {
                /** @description Chosen by the client: sent again with it within a day, the request is answered as before and not carried out again */
                "Idempotency-Key"?: string;
            };
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PersonFields"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedPerson"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "get-person": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
                person: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Person"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "delete-person": {
        parameters: {
            query?: {
                /** @description How many faces the person has, as far as you know. If there are more or fewer now, nothing is erased, and the answer is 409. Missing or -1: any number */
                faces?: number;
            };
            header?: never;
            path: {
                collection: string;
                person: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Receipt"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "change-person": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
                person: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PersonChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "get-person-export": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
                person: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-tar": unknown;
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "add-person-faces": {
        parameters: {
            query?: {
                /** @description Leave out photographs that were added before */
                new?: "true";
                /** @description Take the face with these eyes only, x,y,x,y in pixels of the upright photograph, also where none is found */
                eyes?: string;
                /** @description Take the face in this box only, x,y,width,height in pixels of the upright photograph: one of several, or one that is not found */
                box?: string;
            };
            header?: {
                /** @description Chosen by the client: sent again with it within a day, the request is answered as before and not carried out again */
                "Idempotency-Key"?: string;
            };
            path: {
                collection: string;
                person: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    crop?: Blob[];
                    photo?: Blob[];
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Added"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "merge-person": {
        parameters: {
            query?: never;
            header?: {
                /** @description Chosen by the client: sent again with it within a day, the request is answered as before and not carried out again */
                "Idempotency-Key"?: string;
            };
            path: {
                collection: string;
                person: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MergePersonRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Done"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "list-person-photographs": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                collection: string;
                person: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageShownIn"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "get-person-statistics": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
                person: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Statistics"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "add-person-vectors": {
        parameters: {
            query?: never;
            header?: {
                /** @description Chosen by the client: sent again with it within a day, the request is answered as before and not carried out again */
                "Idempotency-Key"?: string;
            };
            path: {
                collection: string;
                person: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Vector"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Added"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "get-photograph-original": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
                photo: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/*": unknown;
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "get-photograph-thumbnail": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
                photo: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/jpeg": unknown;
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "get-refit": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RefitPreview"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "get-review": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                /** @description doubtful: only those with a guess that is known or doubtful; conflict: faces of somebody whose labels may be wrong, which is with the same person confirms */
                state?: "cluster" | "doubtful" | "conflict";
            };
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageCluster"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "get-review-count": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Waiting"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "decide-review": {
        parameters: {
            query?: never;
            header?: {
                /** @description Chosen by the client: sent again with it within a day, the request is answered as before and not carried out again */
                "Idempotency-Key"?: string;
            };
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DecideReviewRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageDecided"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "get-review-sure": {
        parameters: {
            query?: {
                probability?: number;
            };
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageSurePerson"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "sure-review": {
        parameters: {
            query?: never;
            header?: {
                /** @description Chosen by the client: sent again with it within a day, the request is answered as before and not carried out again */
                "Idempotency-Key"?: string;
            };
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SureReviewRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Accepted"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    search: {
        parameters: {
            query?: {
                /** @description Faces and groups for each face */
                limit?: number;
                /** @description With the vector of each face; the key needs the scope vectors, too */
                vectors?: "true";
            };
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description image file
                     */
                    photo: Blob;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Search"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "get-statistics": {
        parameters: {
            query: {
                /** @description Ids */
                people: string[] | null;
            };
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageStatistics"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "add-strangers": {
        parameters: {
            query?: {
                /** @description Leave out photographs that were added before */
                new?: "true";
                /** @description Take the face with these eyes only, x,y,x,y in pixels of the upright photograph, also where none is found */
                eyes?: string;
                /** @description Take the face in this box only, x,y,width,height in pixels of the upright photograph: one of several, or one that is not found */
                box?: string;
            };
            header?: {
                /** @description Chosen by the client: sent again with it within a day, the request is answered as before and not carried out again */
                "Idempotency-Key"?: string;
            };
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    photo: Blob[];
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Added"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "delete-strangers": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Removed"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    undo: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chosen by the client: sent again with it within a day, the request is answered as before and not carried out again */
                "Idempotency-Key"?: string;
            };
            path: {
                collection: string;
                operation: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    verify: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /**
                     * Format: binary
                     * @description image file
                     */
                    a: Blob;
                    /**
                     * Format: binary
                     * @description image file
                     */
                    b?: Blob;
                    /** @description id of the person, instead of b */
                    person?: string;
                };
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Verification"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "list-visitors": {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageVisitor"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "delete-visitors": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                collection: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Removed"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "get-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "list-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageKey"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "create-key": {
        parameters: {
            query?: never;
            header?: {
                /** @description Chosen by the client: sent again with it within a day, the request is answered as before and not carried out again */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewKey"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedKey"];
                };
            };
            400: components["responses"]["400"];
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            408: components["responses"]["408"];
            409: components["responses"]["409"];
            413: components["responses"]["413"];
            415: components["responses"]["415"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "delete-key": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            404: components["responses"]["404"];
            409: components["responses"]["409"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "get-session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "create-session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    Location?: string;
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
    "delete-session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    Location?: string;
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["401"];
            403: components["responses"]["403"];
            409: components["responses"]["409"];
            422: components["responses"]["422"];
            429: components["responses"]["429"];
            503: components["responses"]["503"];
            default: components["responses"]["default"];
        };
    };
}
