// Words of a private dialect, with what to write instead: in comments, names, commits and texts. Inflections are alternatives.

export const REPLACEMENTS: Readonly<Record<string, string>> = {
  'tell|tells|told|telling': 'report, return, publish, redact',
  'whoever|nobody|somebody': 'the caller, no one, or a passive',
  anew: 'again',
  beneath: 'under, below',
  'mend|mends|mended': 'fix',
  'cure|cures': 'resolution, hint',
  'obey|obeys|obeyed': 'interpret, execute, follow',
  'heed|heeds|heeded|heeding': 'observe, respect',
  'lets it': 'allows',
  'of its own': 'its, separate, private',
  'held against': 'matched against',
  'is none of': 'is not in, does not belong to',
  'no word of': 'nothing about'
}
