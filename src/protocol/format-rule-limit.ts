// Formats the limit of a rule, the same in every front end.
import type { RuleLimit } from './rules.ts'

/** Formats a limit such as `5 calls per 1h for each agent`. */
export const formatRuleLimit = ({ calls, per, each }: RuleLimit): string =>
  `${calls === 1 ? '1 call' : `${calls} calls`} per ${per}${each === undefined ? '' : ` for each ${each}`}`
