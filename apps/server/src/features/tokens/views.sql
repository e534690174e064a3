-- Secrets stay out of what is written down; so does what changes with every use.
call keep_history('access_tokens', 'id', '{value, salt, last_used_at}');

-- Whoever came with a token that is revoked hears and sees nothing more: open streams end, and are asked anew who they are.
create function announce_token_end() returns trigger language plpgsql as $$
begin
  call announce('identities', array[old.person_id::text]);
  return null;
end $$;
create trigger announce_token_end after delete on access_tokens for each row execute function announce_token_end();

-- Told to whom the tokens belong.
call announce_changes('access_tokens', 'person_id');
