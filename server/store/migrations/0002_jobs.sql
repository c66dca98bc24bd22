-- How the vectors of the faces are made that recognise; '' is the network that is built
-- in. What was removed before the change pruned is not in the table gone any more.
ALTER TABLE collection ADD COLUMN space TEXT NOT NULL DEFAULT '';
ALTER TABLE collection ADD COLUMN pruned BIGINT NOT NULL DEFAULT 0;

-- The last change of a row, also by the label or the vector of a face, or by a face of a
-- person: a process reads what changed after what it knows.
ALTER TABLE person ADD COLUMN seq BIGINT NOT NULL DEFAULT 0;
ALTER TABLE face ADD COLUMN seq BIGINT NOT NULL DEFAULT 0;
CREATE INDEX person_seq ON person (collection, seq);
CREATE INDEX face_seq ON face (collection, seq);
CREATE INDEX photo_sha256 ON photo (collection, sha256);

-- Faces and people that were removed.
CREATE TABLE gone (
	collection TEXT NOT NULL REFERENCES collection (id) ON DELETE CASCADE,
	seq BIGINT NOT NULL,
	id TEXT NOT NULL,
	at BIGINT NOT NULL,
	PRIMARY KEY (collection, seq, id)
);

-- What the machine says of faces of nobody, where they are too many to be grouped while
-- somebody waits. The rows of one group have its number.
DROP TABLE guess;
CREATE TABLE guess (
	collection TEXT NOT NULL,
	face TEXT NOT NULL,
	number BIGINT NOT NULL,
	PRIMARY KEY (collection, face),
	FOREIGN KEY (collection, face) REFERENCES face (collection, id) ON DELETE CASCADE
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

ALTER TABLE api_key ADD COLUMN collections TEXT NOT NULL DEFAULT ''; -- between spaces; '' is all

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
	PRIMARY KEY (actor, key)
);
