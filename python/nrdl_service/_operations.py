"""The operations of the service.

Written by client/generate.py of client/openapi.json: do not change it.
"""


class Operations:
    """A method for each operation of the service."""

    def accept_job(self, collection, job, *, idempotency_key=None):
        """Decide on what a refit has found, if that is worse: accept it.

        For keys with the scope admin.

        Parameters
        ----------
        collection : str
            Id.
        job : str
        idempotency_key : str, optional
            Sent again with it within a day, the request is answered as before

        Returns
        -------
        dict
        """
        return self.request("POST", "/v1/collections/{collection}/jobs/{job}/accept", (collection, job), once=idempotency_key)

    def add_faces(self, collection, photo, *, new=None, eyes=None, box=None, idempotency_key=None):
        """Add all faces in photographs, of nobody yet.

        For keys with the scope enrol or admin.

        Parameters
        ----------
        collection : str
            Id.
        photo : list of bytes, path or file
            image file
        new : bool, optional
            Leave out photographs that were added before
        eyes : str, optional
            Take the face with these eyes only, x,y,x,y in pixels of the upright photograph, also
            where none is found
        box : str, optional
            Take the face in this box only, x,y,width,height in pixels of the upright photograph:
            one of several, or one that is not found
        idempotency_key : str, optional
            Sent again with it within a day, the request is answered as before

        Returns
        -------
        dict
        """
        return self.request("POST", "/v1/collections/{collection}/faces", (collection,), query={"new": new, "eyes": eyes, "box": box}, form={"photo": photo}, once=idempotency_key)

    def add_person_faces(self, collection, person, *, crop=None, photo=None, new=None, eyes=None, box=None, idempotency_key=None):
        """Add the face of the person in each photograph, or aligned crops, to a person: of several faces the one that the collection takes for the person, or the only unknown one; otherwise send its box.

        For keys with the scope enrol or admin.

        Parameters
        ----------
        collection : str
            Id.
        person : str
        crop : list of bytes, path or file, optional
            image file
        photo : list of bytes, path or file, optional
            image file
        new : bool, optional
            Leave out photographs that were added before
        eyes : str, optional
            Take the face with these eyes only, x,y,x,y in pixels of the upright photograph, also
            where none is found
        box : str, optional
            Take the face in this box only, x,y,width,height in pixels of the upright photograph:
            one of several, or one that is not found
        idempotency_key : str, optional
            Sent again with it within a day, the request is answered as before

        Returns
        -------
        dict
        """
        return self.request("POST", "/v1/collections/{collection}/people/{person}/faces", (collection, person), query={"new": new, "eyes": eyes, "box": box}, form={"crop": crop, "photo": photo}, once=idempotency_key)

    def add_person_vectors(self, collection, person, space, vector, *, idempotency_key=None):
        """Add a face of which another program has made a vector to a person.

        For keys with the scope enrol or admin.

        Parameters
        ----------
        collection : str
            Id.
        person : str
        space : str
            Which network made it, as in an export
        vector : list of float
        idempotency_key : str, optional
            Sent again with it within a day, the request is answered as before

        Returns
        -------
        dict
        """
        return self.request("POST", "/v1/collections/{collection}/people/{person}/vectors", (collection, person), body={"space": space, "vector": vector}, once=idempotency_key)

    def add_strangers(self, collection, photo, *, new=None, eyes=None, box=None, idempotency_key=None):
        """Add all faces in photographs of people who are not in the collection: they make its calibration surer, and never become people.

        For keys with the scope enrol or admin.

        Parameters
        ----------
        collection : str
            Id.
        photo : list of bytes, path or file
            image file
        new : bool, optional
            Leave out photographs that were added before
        eyes : str, optional
            Take the face with these eyes only, x,y,x,y in pixels of the upright photograph, also
            where none is found
        box : str, optional
            Take the face in this box only, x,y,width,height in pixels of the upright photograph:
            one of several, or one that is not found
        idempotency_key : str, optional
            Sent again with it within a day, the request is answered as before

        Returns
        -------
        dict
        """
        return self.request("POST", "/v1/collections/{collection}/strangers", (collection,), query={"new": new, "eyes": eyes, "box": box}, form={"photo": photo}, once=idempotency_key)

    def change_collection(self, collection, *, force=None, fpir=None, name=None, visitor_days=None):
        """Rename a collection, or set how many strangers may be named.

        For keys with the scope review or admin.

        Parameters
        ----------
        collection : str
            Id.
        force : bool, optional
            Set the rate also if nearly no enrolled face gets its name
        fpir : float, optional
        name : str, optional
        visitor_days : int, optional
            For so many days faces that identify does not recognise are kept, at most 1000, as
            visitors; 0: none, and those that are kept are deleted. Needs the scope admin

        Returns
        -------
        dict
        """
        return self.request("PATCH", "/v1/collections/{collection}", (collection,), body={"force": force, "fpir": fpir, "name": name, "visitor_days": visitor_days})

    def change_person(self, collection, person, *, born=None, different=None, kind=None, name=None, namesake=None, portrait=None):
        """Rename or ignore a person.

        For keys with the scope review or admin.

        Parameters
        ----------
        collection : str
            Id.
        person : str
        born : str, optional
            Date of birth, 2015-03-28, 2015-03 or 2015; empty: not known. Photographs that were
            taken more than two days before it do not show the person
        different : list of str, optional
            Ids of people who look alike and are somebody else: a face has to be clearly more
            similar to this person to get the name
        kind : str, optional
            one of known, ignored
        name : str, optional
        namesake : bool, optional
            Somebody else may have the name; otherwise the answer is 409 with the id of that
            person
        portrait : str, optional
            Id of a face of the person, which stands for the person in lists; empty: the one with
            the best crop

        Returns
        -------
        dict
        """
        return self.request("PATCH", "/v1/collections/{collection}/people/{person}", (collection, person), body={"born": born, "different": different, "kind": kind, "name": name, "namesake": namesake, "portrait": portrait})

    def compare(self, collection, a, *, photo=None):
        """Compare the largest face in a photograph with those of others.

        For keys with the scope identify or admin.

        Parameters
        ----------
        collection : str
            Id.
        a : bytes, path or file
            image file
        photo : list of bytes, path or file, optional
            image file

        Returns
        -------
        dict
        """
        return self.request("POST", "/v1/collections/{collection}/compare", (collection,), form={"a": a, "photo": photo})

    def create_backup(self, *, idempotency_key=None):
        """Copy the database to a file on the machine of the service.

        For keys with the scope admin.

        Parameters
        ----------
        idempotency_key : str, optional
            Sent again with it within a day, the request is answered as before

        Returns
        -------
        dict
        """
        return self.request("POST", "/v1/backup", (), once=idempotency_key)

    def create_collection(self, *, fpir=None, name=None, idempotency_key=None):
        """Create a collection.

        For keys with the scope enrol or admin.

        Parameters
        ----------
        fpir : float, optional
        name : str, optional
        idempotency_key : str, optional
            Sent again with it within a day, the request is answered as before

        Returns
        -------
        dict
        """
        return self.request("POST", "/v1/collections", (), body={"fpir": fpir, "name": name}, once=idempotency_key)

    def create_hook(self, collection, events, url, *, names=None, idempotency_key=None):
        """Send messages about the collection to an address.

        For keys with the scope admin.

        Parameters
        ----------
        collection : str
            Id.
        events : list of str
            one of faces.added, person.changed, person.erased, job.finished, photo.known,
            photo.unknown, photo.none
        url : str
            http or https; not of a private network unless the service allows it
        names : bool, optional
            Messages have the names of people, and not only their ids
        idempotency_key : str, optional
            Sent again with it within a day, the request is answered as before

        Returns
        -------
        dict
        """
        return self.request("POST", "/v1/collections/{collection}/hooks", (collection,), body={"events": events, "url": url, "names": names}, once=idempotency_key)

    def create_job(self, collection, kind, *, people=None, idempotency_key=None):
        """Start a job; refit, regroup and album are there once, until they end.

        For keys with the scope admin.

        Parameters
        ----------
        collection : str
            Id.
        kind : str
            one of refit, regroup, erase, export, album
        people : list of str, optional
            erase: ids of the people
        idempotency_key : str, optional
            Sent again with it within a day, the request is answered as before

        Returns
        -------
        dict
        """
        return self.request("POST", "/v1/collections/{collection}/jobs", (collection,), body={"kind": kind, "people": people}, once=idempotency_key)

    def create_key(self, name, scopes, *, collections=None, expires=None, idempotency_key=None):
        """Create a key; the first one needs the scope admin.

        For keys with the scope admin.

        Parameters
        ----------
        name : str
        scopes : list of str
            one of identify, enrol, review, admin, metrics, vectors
        collections : list of str, optional
            Ids of those that it is for; missing: all, and what is of none
        expires : datetime, optional
            A time to come; missing: never
        idempotency_key : str, optional
            Sent again with it within a day, the request is answered as before

        Returns
        -------
        dict
        """
        return self.request("POST", "/v1/keys", (), body={"name": name, "scopes": scopes, "collections": collections, "expires": expires}, once=idempotency_key)

    def create_person(self, collection, *, kind=None, name=None, namesake=None, idempotency_key=None):
        """Create a person.

        For keys with the scope enrol or admin.

        Parameters
        ----------
        collection : str
            Id.
        kind : str, optional
            one of known, ignored
        name : str, optional
        namesake : bool, optional
            Somebody else may have the name; otherwise the answer is 409 with the id of that
            person
        idempotency_key : str, optional
            Sent again with it within a day, the request is answered as before

        Returns
        -------
        dict
        """
        return self.request("POST", "/v1/collections/{collection}/people", (collection,), body={"kind": kind, "name": name, "namesake": namesake}, once=idempotency_key)

    def create_session(self):
        """Start a session with the key of the header Authorization, for a page: it is in a cookie, and ends after 12 hours without use.

        For keys with the scope identify or enrol or review or admin or metrics or vectors.
        """
        return self.request("POST", "/v1/session", ())

    def decide_review(self, collection, decisions, *, idempotency_key=None):
        """Decide whose faces these are; each decision is made whole or not at all, in their order, up to the first that fails.

        For keys with the scope review or admin.

        Parameters
        ----------
        collection : str
            Id.
        decisions : list of dict
        idempotency_key : str, optional
            Sent again with it within a day, the request is answered as before

        Returns
        -------
        dict
        """
        return self.request("POST", "/v1/collections/{collection}/review/decide", (collection,), body={"decisions": decisions}, once=idempotency_key)

    def delete_collection(self, collection):
        """Delete a collection with all that is in it, for good.

        For keys with the scope admin.

        Parameters
        ----------
        collection : str
            Id.
        """
        return self.request("DELETE", "/v1/collections/{collection}", (collection,))

    def delete_face(self, collection, face, *, expected=None):
        """Delete a face, for good.

        For keys with the scope review or admin.

        Parameters
        ----------
        collection : str
            Id.
        face : str
        expected : str, optional
            Whose the face is, as far as you know, as in a decision
        """
        return self.request("DELETE", "/v1/collections/{collection}/faces/{face}", (collection, face), query={"expected": expected})

    def delete_hook(self, collection, hook):
        """Send no more messages to an address.

        For keys with the scope admin.

        Parameters
        ----------
        collection : str
            Id.
        hook : str
        """
        return self.request("DELETE", "/v1/collections/{collection}/hooks/{hook}", (collection, hook))

    def delete_job(self, collection, job):
        """Cancel a job, unless it has ended; what it has done stays.

        For keys with the scope enrol or admin.

        Parameters
        ----------
        collection : str
            Id.
        job : str

        Returns
        -------
        dict
        """
        return self.request("DELETE", "/v1/collections/{collection}/jobs/{job}", (collection, job))

    def delete_key(self, key):
        """Delete a key.

        For keys with the scope admin.

        Parameters
        ----------
        key : str
        """
        return self.request("DELETE", "/v1/keys/{key}", (key,))

    def delete_person(self, collection, person, *, faces=None):
        """Erase a person with all faces, for good.

        For keys with the scope admin.

        Parameters
        ----------
        collection : str
            Id.
        person : str
        faces : int, optional
            How many faces the person has, as far as you know. If there are more or fewer now,
            nothing is erased, and the answer is 409. Missing or -1: any number

        Returns
        -------
        dict
        """
        return self.request("DELETE", "/v1/collections/{collection}/people/{person}", (collection, person), query={"faces": faces})

    def delete_session(self):
        """End the session of the cookie; the header Location of the answer is where a browser ends the one at the provider of the login.

        For keys with the scope identify or enrol or review or admin or metrics or vectors.
        """
        return self.request("DELETE", "/v1/session", ())

    def delete_strangers(self, collection):
        """Delete the faces of strangers, for good.

        For keys with the scope review or admin.

        Parameters
        ----------
        collection : str
            Id.

        Returns
        -------
        dict
        """
        return self.request("DELETE", "/v1/collections/{collection}/strangers", (collection,))

    def delete_visitors(self, collection):
        """Forget all visitors: delete their faces, for good.

        For keys with the scope review or admin.

        Parameters
        ----------
        collection : str
            Id.

        Returns
        -------
        dict
        """
        return self.request("DELETE", "/v1/collections/{collection}/visitors", (collection,))

    def deny_faces(self, collection, faces, person, *, expected=None, idempotency_key=None):
        """Say that faces are not those of a person.

        For keys with the scope review or admin.

        Parameters
        ----------
        collection : str
            Id.
        faces : list of str
        person : str
            Id; empty for nobody
        expected : str, optional
            Id of the person who has all these faces now, as far as you know, or none. If another
            decision has changed that meanwhile, nothing is done, and the answer is 409 with whose
            the faces are. Missing: whoever has them
        idempotency_key : str, optional
            Sent again with it within a day, the request is answered as before

        Returns
        -------
        dict
        """
        return self.request("POST", "/v1/collections/{collection}/faces/deny", (collection,), body={"faces": faces, "person": person, "expected": expected}, once=idempotency_key)

    def detect(self, collection, photo, *, vectors=None):
        """Find the faces in a photograph.

        For keys with the scope identify or admin.

        Parameters
        ----------
        collection : str
            Id.
        photo : bytes, path or file
            image file
        vectors : bool, optional
            With the vector of each face; the key needs the scope vectors, too

        Returns
        -------
        dict
        """
        return self.request("POST", "/v1/collections/{collection}/detect", (collection,), query={"vectors": vectors}, form={"photo": photo})

    def discard_job(self, collection, job, *, idempotency_key=None):
        """Decide on what a refit has found, if that is worse: discard it.

        For keys with the scope admin.

        Parameters
        ----------
        collection : str
            Id.
        job : str
        idempotency_key : str, optional
            Sent again with it within a day, the request is answered as before

        Returns
        -------
        dict
        """
        return self.request("POST", "/v1/collections/{collection}/jobs/{job}/discard", (collection, job), once=idempotency_key)

    def get_audit(self, *, cursor=None, limit=None, check=None):
        """List what was done and by whom, the latest first.

        For keys with the scope admin.

        Parameters
        ----------
        cursor : str, optional
        limit : int, optional
        check : bool, optional
            Whether to check that no line was changed or removed since

        Returns
        -------
        dict
        """
        return self.request("GET", "/v1/audit", (), query={"cursor": cursor, "limit": limit, "check": check})

    def get_calibration(self, collection):
        """Error rates at the present threshold and at others.

        For keys with the scope identify or enrol or review or admin.

        Parameters
        ----------
        collection : str
            Id.

        Returns
        -------
        dict
        """
        return self.request("GET", "/v1/collections/{collection}/calibration", (collection,))

    def get_calibration_curve(self, collection):
        """Error rates at many shares of strangers, and the faces that another share decides otherwise.

        For keys with the scope identify or enrol or review or admin.

        Parameters
        ----------
        collection : str
            Id.

        Returns
        -------
        dict
        """
        return self.request("GET", "/v1/collections/{collection}/calibration/curve", (collection,))

    def get_collection(self, collection):
        """Get a collection.

        For keys with the scope identify or enrol or review or admin.

        Parameters
        ----------
        collection : str
            Id.

        Returns
        -------
        dict
        """
        return self.request("GET", "/v1/collections/{collection}", (collection,))

    def get_events(self):
        """Follow the collections: a server-sent event when one of them has changed.

        For keys with the scope identify or enrol or review or admin.

        Returns
        -------
        file
        """
        return self.request("GET", "/v1/events", (), stream=True)

    def get_export(self, collection):
        """Get the collection with all crops and vectors, a tar.

        For keys with the scope admin.

        Parameters
        ----------
        collection : str
            Id.

        Returns
        -------
        file
        """
        return self.request("GET", "/v1/collections/{collection}/export", (collection,), stream=True)

    def get_face(self, collection, face):
        """Get a face.

        For keys with the scope identify or enrol or review or admin.

        Parameters
        ----------
        collection : str
            Id.
        face : str

        Returns
        -------
        dict
        """
        return self.request("GET", "/v1/collections/{collection}/faces/{face}", (collection, face))

    def get_face_crop(self, collection, face):
        """Get the aligned crop of a face, a PNG.

        For keys with the scope identify or enrol or review or admin.

        Parameters
        ----------
        collection : str
            Id.
        face : str

        Returns
        -------
        bytes
        """
        return self.request("GET", "/v1/collections/{collection}/faces/{face}/crop", (collection, face))

    def get_face_why(self, collection, face):
        """Say why a stored face is recognised or not, without its label.

        For keys with the scope identify or enrol or review or admin.

        Parameters
        ----------
        collection : str
            Id.
        face : str

        Returns
        -------
        dict
        """
        return self.request("GET", "/v1/collections/{collection}/faces/{face}/why", (collection, face))

    def get_healthz(self):
        """Say that the process runs.

        For anybody.

        Returns
        -------
        bytes
        """
        return self.request("GET", "/healthz", ())

    def get_job(self, collection, job):
        """Get a job.

        For keys with the scope identify or enrol or review or admin.

        Parameters
        ----------
        collection : str
            Id.
        job : str

        Returns
        -------
        dict
        """
        return self.request("GET", "/v1/collections/{collection}/jobs/{job}", (collection, job))

    def get_job_events(self, collection, job):
        """Follow a job: server-sent events, each with the job.

        For keys with the scope identify or enrol or review or admin.

        Parameters
        ----------
        collection : str
            Id.
        job : str

        Returns
        -------
        file
        """
        return self.request("GET", "/v1/collections/{collection}/jobs/{job}/events", (collection, job), stream=True)

    def get_job_file(self, collection, job):
        """Get the file of an export, a tar, for a day.

        For keys with the scope admin.

        Parameters
        ----------
        collection : str
            Id.
        job : str

        Returns
        -------
        file
        """
        return self.request("GET", "/v1/collections/{collection}/jobs/{job}/file", (collection, job), stream=True)

    def get_metrics(self):
        """Metrics for Prometheus.

        For keys with the scope metrics or admin.

        Returns
        -------
        bytes
        """
        return self.request("GET", "/metrics", ())

    def get_person(self, collection, person):
        """Get a person.

        For keys with the scope identify or enrol or review or admin.

        Parameters
        ----------
        collection : str
            Id.
        person : str

        Returns
        -------
        dict
        """
        return self.request("GET", "/v1/collections/{collection}/people/{person}", (collection, person))

    def get_person_export(self, collection, person):
        """Get a person with all crops and vectors, a tar.

        For keys with the scope review or admin.

        Parameters
        ----------
        collection : str
            Id.
        person : str

        Returns
        -------
        file
        """
        return self.request("GET", "/v1/collections/{collection}/people/{person}/export", (collection, person), stream=True)

    def get_person_statistics(self, collection, person):
        """Say how well a person is recognised, and what the faces lack.

        For keys with the scope identify or enrol or review or admin.

        Parameters
        ----------
        collection : str
            Id.
        person : str

        Returns
        -------
        dict
        """
        return self.request("GET", "/v1/collections/{collection}/people/{person}/statistics", (collection, person))

    def get_photograph_original(self, collection, photo):
        """Get the original of a photograph, as it is in the folder that the operator allows.

        For keys with the scope review or admin.

        Parameters
        ----------
        collection : str
            Id.
        photo : str

        Returns
        -------
        file
        """
        return self.request("GET", "/v1/collections/{collection}/photographs/{photo}/original", (collection, photo), stream=True)

    def get_photograph_thumbnail(self, collection, photo):
        """Get a small copy of a photograph, a JPEG of at most 320 pixels a side.

        For keys with the scope review or admin.

        Parameters
        ----------
        collection : str
            Id.
        photo : str

        Returns
        -------
        file
        """
        return self.request("GET", "/v1/collections/{collection}/photographs/{photo}/thumbnail", (collection, photo), stream=True)

    def get_readyz(self):
        """Say whether the database answers and has room for changes, and the collections are loaded.

        For anybody.

        Returns
        -------
        bytes
        """
        return self.request("GET", "/readyz", ())

    def get_refit(self, collection):
        """Say what a refit would change, and how long it takes.

        For keys with the scope identify or enrol or review or admin.

        Parameters
        ----------
        collection : str
            Id.

        Returns
        -------
        dict
        """
        return self.request("GET", "/v1/collections/{collection}/refit", (collection,))

    def get_review(self, collection, *, cursor=None, limit=None, state=None):
        """Groups of similar faces of nobody yet, the largest first.

        For keys with the scope review or admin.

        Parameters
        ----------
        collection : str
            Id.
        cursor : str, optional
        limit : int, optional
        state : str, optional
            doubtful: only those with a guess that is known or doubtful; conflict: faces of
            somebody whose labels may be wrong, which is with the same person confirms; one of
            cluster, doubtful, conflict

        Returns
        -------
        dict
        """
        return self.request("GET", "/v1/collections/{collection}/review", (collection,), query={"cursor": cursor, "limit": limit, "state": state})

    def get_review_count(self, collection):
        """Count what waits to be decided.

        For keys with the scope review or admin.

        Parameters
        ----------
        collection : str
            Id.

        Returns
        -------
        dict
        """
        return self.request("GET", "/v1/collections/{collection}/review/count", (collection,))

    def get_review_sure(self, collection, *, probability=None):
        """Faces of nobody yet that surely show a known person, by person.

        For keys with the scope review or admin.

        Parameters
        ----------
        collection : str
            Id.
        probability : float, optional

        Returns
        -------
        dict
        """
        return self.request("GET", "/v1/collections/{collection}/review/sure", (collection,), query={"probability": probability})

    def get_session(self):
        """Say who sends the request, and what that key or person may do.

        For keys with the scope identify or enrol or review or admin or metrics or vectors.

        Returns
        -------
        dict
        """
        return self.request("GET", "/v1/session", ())

    def get_statistics(self, collection, *, people=None):
        """Say how well people are recognised.

        For keys with the scope identify or enrol or review or admin.

        Parameters
        ----------
        collection : str
            Id.
        people : list of str, optional
            Ids

        Returns
        -------
        dict
        """
        return self.request("GET", "/v1/collections/{collection}/statistics", (collection,), query={"people": people})

    def identify(self, collection, photo, *, why=None, source=None, reference=None, eyes=None, box=None):
        """Name the faces in a photograph.

        For keys with the scope identify or admin.

        Parameters
        ----------
        collection : str
            Id.
        photo : bytes, path or file
            image file
        why : bool, optional
            With a picture of each face, and the reasons
        source : str, optional
            The camera that took the photograph, such as door: the answer and messages repeat it
        reference : str, optional
            What the client calls the photograph: the answer and messages repeat it
        eyes : str, optional
            Take the face with these eyes only, x,y,x,y in pixels of the upright photograph, also
            where none is found
        box : str, optional
            Take the face in this box only, x,y,width,height in pixels of the upright photograph:
            one of several, or one that is not found

        Returns
        -------
        dict
        """
        return self.request("POST", "/v1/collections/{collection}/identify", (collection,), query={"why": why, "source": source, "reference": reference, "eyes": eyes, "box": box}, form={"photo": photo})

    def import_(self, collection, *, archive=None, photo=None, folders=None, tags=None, as_=None, idempotency_key=None):
        """Add all faces of many photographs, or of an archive of photographs (zip) or an export (tar), by a job.

        For keys with the scope enrol or admin.

        Parameters
        ----------
        collection : str
            Id.
        archive : bytes, path or file, optional
            a zip of photographs, or an export (tar), instead of photo
        photo : list of bytes, path or file, optional
            image file, or with tags=regions a sidecar
        folders : str, optional
            In a zip, Ann/1.jpg is of Ann; one of people
        tags : str, optional
            The names are those of face tags, in the photographs and in sidecars a.jpg.xmp or
            a.xmp that are sent with them; faces without a tag are of nobody yet; one of regions
        as_ : str, optional
            The photographs are of people who are not in the collection, for its calibration; one
            of strangers
        idempotency_key : str, optional
            Sent again with it within a day, the request is answered as before

        Returns
        -------
        dict
        """
        return self.request("POST", "/v1/collections/{collection}/import", (collection,), query={"folders": folders, "tags": tags, "as": as_}, form={"archive": archive, "photo": photo}, once=idempotency_key)

    def list_collections(self, *, cursor=None, limit=None):
        """List collections.

        For keys with the scope identify or enrol or review or admin.

        Parameters
        ----------
        cursor : str, optional
        limit : int, optional

        Returns
        -------
        dict
        """
        return self.request("GET", "/v1/collections", (), query={"cursor": cursor, "limit": limit})

    def list_faces(self, collection, *, cursor=None, limit=None, person=None):
        """List faces.

        For keys with the scope identify or enrol or review or admin.

        Parameters
        ----------
        collection : str
            Id.
        cursor : str, optional
        limit : int, optional
        person : str, optional
            Faces of this person; none: of nobody yet; stranger: of strangers

        Returns
        -------
        dict
        """
        return self.request("GET", "/v1/collections/{collection}/faces", (collection,), query={"cursor": cursor, "limit": limit, "person": person})

    def list_hook_deliveries(self, collection, hook, *, cursor=None, limit=None):
        """List messages to an address of the last week, the latest first.

        For keys with the scope admin.

        Parameters
        ----------
        collection : str
            Id.
        hook : str
        cursor : str, optional
        limit : int, optional

        Returns
        -------
        dict
        """
        return self.request("GET", "/v1/collections/{collection}/hooks/{hook}/deliveries", (collection, hook), query={"cursor": cursor, "limit": limit})

    def list_hooks(self, collection):
        """List hooks.

        For keys with the scope admin.

        Parameters
        ----------
        collection : str
            Id.

        Returns
        -------
        dict
        """
        return self.request("GET", "/v1/collections/{collection}/hooks", (collection,))

    def list_jobs(self, collection, *, cursor=None, limit=None, kind=None, state=None):
        """List jobs, the latest first.

        For keys with the scope identify or enrol or review or admin.

        Parameters
        ----------
        collection : str
            Id.
        cursor : str, optional
        limit : int, optional
        kind : str, optional
            one of import, refit, regroup, erase, export, tags, album
        state : str, optional
            one of waiting, running, done, failed, cancelled

        Returns
        -------
        dict
        """
        return self.request("GET", "/v1/collections/{collection}/jobs", (collection,), query={"cursor": cursor, "limit": limit, "kind": kind, "state": state})

    def list_keys(self):
        """List keys, and the people who have logged in.

        For keys with the scope admin.

        Returns
        -------
        dict
        """
        return self.request("GET", "/v1/keys", ())

    def list_operations(self, collection, *, cursor=None, limit=None):
        """List what can be undone, the latest first.

        For keys with the scope review or admin.

        Parameters
        ----------
        collection : str
            Id.
        cursor : str, optional
        limit : int, optional

        Returns
        -------
        dict
        """
        return self.request("GET", "/v1/collections/{collection}/operations", (collection,), query={"cursor": cursor, "limit": limit})

    def list_people(self, collection, *, cursor=None, limit=None, search=None, order=None, kind=None):
        """List people.

        For keys with the scope identify or enrol or review or admin.

        Parameters
        ----------
        collection : str
            Id.
        cursor : str, optional
        limit : int, optional
        search : str, optional
            Only people with this in their name
        order : str, optional
            one of id, name, faces
        kind : str, optional
            one of known, ignored

        Returns
        -------
        dict
        """
        return self.request("GET", "/v1/collections/{collection}/people", (collection,), query={"cursor": cursor, "limit": limit, "search": search, "order": order, "kind": kind})

    def list_person_photographs(self, collection, person, *, cursor=None, limit=None):
        """List the photographs of a person, by date.

        For keys with the scope review or admin.

        Parameters
        ----------
        collection : str
            Id.
        person : str
        cursor : str, optional
        limit : int, optional

        Returns
        -------
        dict
        """
        return self.request("GET", "/v1/collections/{collection}/people/{person}/photographs", (collection, person), query={"cursor": cursor, "limit": limit})

    def list_visitors(self, collection, *, cursor=None, limit=None):
        """List the visitors: faces that identify did not recognise, by person, the latest first.

        For keys with the scope review or admin.

        Parameters
        ----------
        collection : str
            Id.
        cursor : str, optional
        limit : int, optional

        Returns
        -------
        dict
        """
        return self.request("GET", "/v1/collections/{collection}/visitors", (collection,), query={"cursor": cursor, "limit": limit})

    def merge_person(self, collection, person, from_, *, idempotency_key=None):
        """Merge other people into a person.

        For keys with the scope review or admin.

        Parameters
        ----------
        collection : str
            Id.
        person : str
        from_ : list of str
        idempotency_key : str, optional
            Sent again with it within a day, the request is answered as before

        Returns
        -------
        dict
        """
        return self.request("POST", "/v1/collections/{collection}/people/{person}/merge", (collection, person), body={"from": from_}, once=idempotency_key)

    def move_faces(self, collection, faces, person, *, expected=None, idempotency_key=None):
        """Say whose faces these are.

        For keys with the scope review or admin.

        Parameters
        ----------
        collection : str
            Id.
        faces : list of str
        person : str
            Id; empty for nobody
        expected : str, optional
            Id of the person who has all these faces now, as far as you know, or none. If another
            decision has changed that meanwhile, nothing is done, and the answer is 409 with whose
            the faces are. Missing: whoever has them
        idempotency_key : str, optional
            Sent again with it within a day, the request is answered as before

        Returns
        -------
        dict
        """
        return self.request("POST", "/v1/collections/{collection}/faces/move", (collection,), body={"faces": faces, "person": person, "expected": expected}, once=idempotency_key)

    def retry_job(self, collection, job, *, idempotency_key=None):
        """Try a job again that has failed.

        For keys with the scope admin.

        Parameters
        ----------
        collection : str
            Id.
        job : str
        idempotency_key : str, optional
            Sent again with it within a day, the request is answered as before

        Returns
        -------
        dict
        """
        return self.request("POST", "/v1/collections/{collection}/jobs/{job}/retry", (collection, job), once=idempotency_key)

    def search(self, collection, photo, *, limit=None, vectors=None):
        """Say whether the people in a photograph were here before: find the most similar faces of nobody yet.

        For keys with the scope identify or admin.

        Parameters
        ----------
        collection : str
            Id.
        photo : bytes, path or file
            image file
        limit : int, optional
            Faces and groups for each face
        vectors : bool, optional
            With the vector of each face; the key needs the scope vectors, too

        Returns
        -------
        dict
        """
        return self.request("POST", "/v1/collections/{collection}/search", (collection,), query={"limit": limit, "vectors": vectors}, form={"photo": photo})

    def sure_review(self, collection, *, faces=None, probability=None, idempotency_key=None):
        """Name all faces of nobody yet that surely show a known person, which one operation undoes.

        For keys with the scope review or admin.

        Parameters
        ----------
        collection : str
            Id.
        faces : list of str, optional
            Only these, as a preview has shown them; missing: all
        probability : float, optional
        idempotency_key : str, optional
            Sent again with it within a day, the request is answered as before

        Returns
        -------
        dict
        """
        return self.request("POST", "/v1/collections/{collection}/review/sure", (collection,), body={"faces": faces, "probability": probability}, once=idempotency_key)

    def test_hook(self, collection, hook, *, idempotency_key=None):
        """Send a message with the event ping.

        For keys with the scope admin.

        Parameters
        ----------
        collection : str
            Id.
        hook : str
        idempotency_key : str, optional
            Sent again with it within a day, the request is answered as before

        Returns
        -------
        dict
        """
        return self.request("POST", "/v1/collections/{collection}/hooks/{hook}/test", (collection, hook), once=idempotency_key)

    def undo(self, collection, operation, *, idempotency_key=None):
        """Undo an operation.

        For keys with the scope review or admin.

        Parameters
        ----------
        collection : str
            Id.
        operation : str
        idempotency_key : str, optional
            Sent again with it within a day, the request is answered as before
        """
        return self.request("POST", "/v1/collections/{collection}/undo/{operation}", (collection, operation), once=idempotency_key)

    def verify(self, collection, a, *, b=None, person=None):
        """Say whether two photographs a and b, or a and a person (an id), are of the same person.

        For keys with the scope identify or admin.

        Parameters
        ----------
        collection : str
            Id.
        a : bytes, path or file
            image file
        b : bytes, path or file, optional
            image file
        person : str, optional
            id of the person, instead of b

        Returns
        -------
        dict
        """
        return self.request("POST", "/v1/collections/{collection}/verify", (collection,), form={"a": a, "b": b}, text={"person": person})
