-- Items that had many changes are few, and found by how many; and how many insights are of a type and a severity is known as
-- searches of items compare them. Insights of an analyzer are found by it.
create index config_change_sums_many on config_change_sums (total) include (config_id) where total > 20;
create statistics config_analysis_of_items on
  (lower(coalesce(analysis_type, 'other')) collate "C"), (lower(coalesce(severity, 'info')) collate "C")
  from config_analysis;
analyze config_analysis;
create index config_analysis_analyzer on config_analysis (lower(analyzer) collate "C");
