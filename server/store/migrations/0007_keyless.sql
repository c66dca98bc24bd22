-- Whether the service takes requests without a key is in the audit log, which may be long: IsKeyless.
CREATE INDEX audit_key ON audit (seq) WHERE verb IN ('create key', 'open service');
