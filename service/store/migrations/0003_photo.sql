-- For photographs that are added again.
CREATE INDEX photo_sha256 ON photo (collection, sha256);
