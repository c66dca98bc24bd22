-- Written once for SQLite and PostgreSQL: in the latter BLOB is BYTEA, and TEXT
-- compares by bytes. Times are microseconds since 1970, UTC.
CREATE TABLE collection (
	id TEXT PRIMARY KEY,
	name TEXT NOT NULL,
	fpir DOUBLE PRECISION NOT NULL,
	created BIGINT NOT NULL,
	seq BIGINT NOT NULL, -- of the last change
	space TEXT NOT NULL DEFAULT '', -- how the vectors of the faces are made that recognise; '' is the network that is built in
	pruned BIGINT NOT NULL DEFAULT 0 -- what was removed before this change is not in the table gone any more
);

CREATE TABLE person (
	collection TEXT NOT NULL REFERENCES collection (id) ON DELETE CASCADE,
	id TEXT NOT NULL,
	name TEXT NOT NULL,
	kind TEXT NOT NULL CHECK (kind IN ('known', 'ignored')),
	created BIGINT NOT NULL,
	seq BIGINT NOT NULL DEFAULT 0, -- of the last change, also by a face of the person: a process reads what changed after what it knows
	born TEXT NOT NULL DEFAULT '', -- when the person may have been born: 2015-03-28, 2015-03, 2015 or ''
	differs TEXT NOT NULL DEFAULT '', -- ids, with commas between them, of people who look alike and are somebody else
	PRIMARY KEY (collection, id)
);
CREATE INDEX person_seq ON person (collection, seq);
CREATE INDEX person_name ON person (collection, name);

-- Photographs are not kept, only what they were.
CREATE TABLE photo (
	collection TEXT NOT NULL REFERENCES collection (id) ON DELETE CASCADE,
	id TEXT NOT NULL,
	sha256 TEXT NOT NULL,
	width BIGINT NOT NULL,
	height BIGINT NOT NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (collection, id)
);
CREATE INDEX photo_sha256 ON photo (collection, sha256);

-- The person is that of the last label; '' is nobody yet.
CREATE TABLE face (
	collection TEXT NOT NULL REFERENCES collection (id) ON DELETE CASCADE,
	id TEXT NOT NULL,
	photo TEXT NOT NULL,
	person TEXT NOT NULL,
	source TEXT NOT NULL CHECK (source IN ('upload', 'crop', 'vector', 'import')),
	box TEXT NOT NULL,
	pupils TEXT NOT NULL,
	quality TEXT NOT NULL,
	crop BLOB NOT NULL,
	created BIGINT NOT NULL,
	seq BIGINT NOT NULL DEFAULT 0, -- of the last change, also of the label or the vector
	PRIMARY KEY (collection, id)
);
CREATE INDEX face_person ON face (collection, person, id);
CREATE INDEX face_photo ON face (collection, photo);
CREATE INDEX face_seq ON face (collection, seq);

CREATE TABLE vector (
	collection TEXT NOT NULL,
	face TEXT NOT NULL,
	space TEXT NOT NULL, -- how the vector was made
	f32 BLOB NOT NULL,   -- little endian
	PRIMARY KEY (collection, face, space),
	FOREIGN KEY (collection, face) REFERENCES face (collection, id) ON DELETE CASCADE
);

-- What people said; rows are added, never changed.
CREATE TABLE label (
	collection TEXT NOT NULL,
	face TEXT NOT NULL,
	seq BIGINT NOT NULL, -- of the change
	person TEXT NOT NULL,
	kind TEXT NOT NULL CHECK (kind IN ('is', 'is_not', 'may_be')), -- may_be takes is_not back
	actor TEXT NOT NULL,
	at BIGINT NOT NULL,
	PRIMARY KEY (collection, face, seq, person),
	FOREIGN KEY (collection, face) REFERENCES face (collection, id) ON DELETE CASCADE
);

-- What the machine says of faces of nobody, where they are too many to be grouped while
-- somebody waits. The rows of one group have its number.
CREATE TABLE guess (
	collection TEXT NOT NULL,
	face TEXT NOT NULL,
	number BIGINT NOT NULL,
	loose BIGINT NOT NULL DEFAULT 0, -- 1: the faces of the group may be of several people
	PRIMARY KEY (collection, face),
	FOREIGN KEY (collection, face) REFERENCES face (collection, id) ON DELETE CASCADE
);

CREATE TABLE operation (
	collection TEXT NOT NULL REFERENCES collection (id) ON DELETE CASCADE,
	id TEXT NOT NULL,
	kind TEXT NOT NULL,
	before TEXT NOT NULL,
	actor TEXT NOT NULL,
	at BIGINT NOT NULL,
	undone BIGINT NOT NULL, -- 0 or 1
	PRIMARY KEY (collection, id)
);

CREATE TABLE api_key (
	id TEXT PRIMARY KEY,
	hash TEXT NOT NULL UNIQUE, -- SHA-256 of the key
	name TEXT NOT NULL,
	scopes TEXT NOT NULL,
	created BIGINT NOT NULL,
	expires BIGINT NOT NULL, -- 0: never
	collections TEXT NOT NULL DEFAULT '' -- between spaces; '' is all
);

-- Has ids, never names.
CREATE TABLE audit (
	seq BIGINT PRIMARY KEY,
	at BIGINT NOT NULL,
	actor TEXT NOT NULL,
	verb TEXT NOT NULL,
	object TEXT NOT NULL,
	previous TEXT NOT NULL,
	hash TEXT NOT NULL -- SHA-256 over the row and previous
);
-- Whether the service takes requests without a key is in the audit log, which may be long: IsKeyless.
CREATE INDEX audit_key ON audit (seq) WHERE verb IN ('create key', 'open service');

-- Faces and people that were removed.
CREATE TABLE gone (
	collection TEXT NOT NULL REFERENCES collection (id) ON DELETE CASCADE,
	seq BIGINT NOT NULL,
	id TEXT NOT NULL,
	at BIGINT NOT NULL,
	PRIMARY KEY (collection, seq, id)
);

-- Work that goes on when a process ends: whoever has the lease works on it.
CREATE TABLE job (
	collection TEXT NOT NULL REFERENCES collection (id) ON DELETE CASCADE,
	id TEXT NOT NULL,
	kind TEXT NOT NULL,
	key TEXT NOT NULL,       -- at most one job of a key has not ended; '' is none
	hook TEXT NOT NULL,      -- of a message; '' otherwise
	actor TEXT NOT NULL,
	payload TEXT NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed', 'cancelled')),
	attempts BIGINT NOT NULL, -- since there was progress
	due BIGINT NOT NULL,      -- waiting: not before; running: end of the lease
	worker TEXT NOT NULL,     -- who has the lease
	done BIGINT NOT NULL,
	total BIGINT NOT NULL,
	result TEXT NOT NULL,
	error TEXT NOT NULL,
	version BIGINT NOT NULL,
	created BIGINT NOT NULL,
	finished BIGINT NOT NULL,
	PRIMARY KEY (collection, id)
);
CREATE UNIQUE INDEX job_key ON job (collection, key) WHERE key <> '' AND state IN ('waiting', 'running');
CREATE INDEX job_due ON job (due) WHERE state IN ('waiting', 'running');
CREATE INDEX job_hook ON job (collection, hook, id);

-- The file that a job reads or writes, in pieces of equal size but the last.
CREATE TABLE file (
	collection TEXT NOT NULL REFERENCES collection (id) ON DELETE CASCADE,
	job TEXT NOT NULL,
	n BIGINT NOT NULL,
	data BLOB NOT NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (collection, job, n)
);

CREATE TABLE hook (
	collection TEXT NOT NULL REFERENCES collection (id) ON DELETE CASCADE,
	id TEXT NOT NULL,
	url TEXT NOT NULL,
	secret TEXT NOT NULL, -- signs the messages
	events TEXT NOT NULL, -- each between spaces
	names BIGINT NOT NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (collection, id)
);

-- Requests that are to be answered once.
CREATE TABLE once (
	actor TEXT NOT NULL,
	key TEXT NOT NULL,
	collection TEXT NOT NULL,
	route TEXT NOT NULL,
	changed BIGINT NOT NULL, -- 1 when something was changed
	status BIGINT NOT NULL,  -- 0 before the answer
	type TEXT NOT NULL,
	digest TEXT NOT NULL,    -- of the body of the request
	answer BLOB NOT NULL,
	at BIGINT NOT NULL,
	due BIGINT NOT NULL DEFAULT 0, -- until when nobody else carries out a request that is not answered
	PRIMARY KEY (actor, key)
);

-- Browsers that have signed in with a key.
CREATE TABLE session (
	hash TEXT PRIMARY KEY, -- SHA-256 of what the browser has
	key TEXT NOT NULL REFERENCES api_key (id) ON DELETE CASCADE,
	used BIGINT NOT NULL
);
CREATE INDEX session_key ON session (key);
