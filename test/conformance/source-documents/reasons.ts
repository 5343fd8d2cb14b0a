// Reasons for differences that several documents have in common.

export const PARTS = 'Additional params read the next part of a long file.'
export const SECRETS = 'Files that may hold secrets ask strictly, and a call-only token gets none of them.'
export const NEW_FILES = 'A new file needs no approval: it can be undone.'
export const SHELL_APPROVAL = 'A command that only reads runs without approval in the sandbox.'
export const LSP_APPROVAL =
  'Without a sandbox for language servers, the call asks: they execute what a repository configures.'
export const DIGEST =
  'An approval also sends the `digest` of the preview, and `confirm` for a strict call: otherwise a person could approve what was never shown.'
export const AMBIGUOUS =
  'A text that occurs several times is an error: its first occurrence may not be the one that was meant.'
export const PRIVATE_ADDRESSES = 'Private addresses are refused, since they reach services of this machine and network.'
