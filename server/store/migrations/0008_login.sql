-- Somebody who logs in at a provider of OpenID Connect has a key without a secret.
ALTER TABLE api_key ADD COLUMN subject TEXT NOT NULL DEFAULT ''; -- who it is for the provider; '' is the key of a program
ALTER TABLE api_key ADD COLUMN email TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN token TEXT NOT NULL DEFAULT ''; -- with which the session at the provider ends

-- Logins that were finished; none is finished twice.
CREATE TABLE login (
	state TEXT PRIMARY KEY,
	at BIGINT NOT NULL
);

DROP INDEX audit_key;
CREATE INDEX audit_key ON audit (seq) WHERE verb IN ('create key', 'log in', 'open service');
