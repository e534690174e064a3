-- The texts of documents as people wrote them, of every kind: `meaning` tells whether the row still says what it said then.
create table document_texts (
  kind text not null,
  id uuid not null,
  text text not null,
  meaning text not null,
  primary key (kind, id)
);
