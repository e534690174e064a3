-- How many insights have a status, a severity, a type or an analyzer as searches compare them: without it a few are
-- expected where there are tens of thousands, and all of them are read and sorted for one page.
create statistics config_analysis_compared on
  (lower(status) collate "C"), (lower(coalesce(severity, 'info'))), (lower(analysis_type) collate "C"), (lower(analyzer) collate "C")
  from config_analysis;
create index config_analysis_words on config_analysis
  using gin (summary extensions.gin_trgm_ops, message extensions.gin_trgm_ops, analyzer extensions.gin_trgm_ops);
analyze config_analysis;
