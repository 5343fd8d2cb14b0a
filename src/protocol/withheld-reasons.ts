// Reasons for which a file of a session has no diff.

export const WITHHELD_REASONS = {
  not_to_be_shown: 'Reading requires approval.',
  not_text: 'The content is not text.',
  too_large: 'The content is too large to be compared.',
  purged: 'The content of a call was purged.',
  not_stored: 'The content is not stored.'
} as const
export type WithheldReason = keyof typeof WITHHELD_REASONS
