-- Browsers that have signed in with a key.
CREATE TABLE session (
	hash TEXT PRIMARY KEY, -- SHA-256 of what the browser has
	key TEXT NOT NULL REFERENCES api_key (id) ON DELETE CASCADE,
	used BIGINT NOT NULL
);
CREATE INDEX session_key ON session (key);

-- Until when nobody else carries out a request that is not answered.
ALTER TABLE once ADD COLUMN due BIGINT NOT NULL DEFAULT 0;
