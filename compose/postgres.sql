-- Executed once, in the new database: no other role may connect. See docs/postgresql.md.
REVOKE CONNECT ON DATABASE list FROM PUBLIC;
