-- Written once for SQLite and PostgreSQL: in the latter BLOB is BYTEA, and TEXT
-- compares by bytes. Times are microseconds since 1970, UTC.
CREATE TABLE collection (
	id TEXT PRIMARY KEY,
	name TEXT NOT NULL,
	fpir DOUBLE PRECISION NOT NULL,
	created BIGINT NOT NULL,
	seq BIGINT NOT NULL -- of the last change
);

CREATE TABLE person (
	collection TEXT NOT NULL REFERENCES collection (id) ON DELETE CASCADE,
	id TEXT NOT NULL,
	name TEXT NOT NULL,
	kind TEXT NOT NULL CHECK (kind IN ('known', 'ignored')),
	created BIGINT NOT NULL,
	PRIMARY KEY (collection, id)
);

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
	PRIMARY KEY (collection, id)
);
CREATE INDEX face_person ON face (collection, person, id);
CREATE INDEX face_photo ON face (collection, photo);

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

-- What the machine says; replaced at will.
CREATE TABLE guess (
	collection TEXT NOT NULL,
	face TEXT NOT NULL,
	person TEXT NOT NULL,
	probability DOUBLE PRECISION, -- NULL: not known
	evidence DOUBLE PRECISION NOT NULL,
	at BIGINT NOT NULL,
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
	expires BIGINT NOT NULL -- 0: never
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
