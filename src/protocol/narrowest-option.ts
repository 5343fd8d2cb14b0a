// The narrowest rule that would have allowed a waiting call, among those that can be saved with its approval.
import type { AlwaysOption } from './decisions.ts'

/** Returns the narrowest rule that also applies in later sessions, or else in this one; undefined if no rule may allow the call. */
export const findNarrowestOption = <O extends Pick<AlwaysOption, 'scope'>>(options: readonly O[]): O | undefined =>
  options.find(({ scope }) => scope === 'workspace') ?? options[0]

/** Returns `would not ask with: allow exactly …`; undefined if no rule may allow the call. */
export function describeNarrowestOption(options: readonly Pick<AlwaysOption, 'scope' | 'label'>[]): string | undefined {
  const option = findNarrowestOption(options)
  return option && `would not ask with: ${option.label.replace(/^Always /, '')}`
}
