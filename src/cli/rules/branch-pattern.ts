// Branches in a rule: a glob becomes the pattern of the parameter.

/** Returns the RE2 pattern for a glob of branches: `*` matches within a segment, `**` across segments. */
export const toBranchPattern = (glob: string): string =>
  glob.replace(/\*\*|[*?]|[^*?]+/g, part => WILDCARDS[part] ?? part.replace(/[\\^$.|+()[\]{}]/g, '\\$&'))

const WILDCARDS: Readonly<Record<string, string>> = { '**': '.*', '*': '[^/]*', '?': '[^/]' }
