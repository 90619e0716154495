"""DeepDOC's own layout and table nets, where a user dropped them in: how they are run, what they find."""
