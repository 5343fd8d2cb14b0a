// Schema of rules and their matchers.
import { type Static, Type } from 'typebox'
import { DURATION } from './duration.ts'
import { ACCEPTED_LEVELS } from './isolation-levels.ts'

const Effect = Type.Enum(['read', 'create', 'write', 'execute', 'network', 'destructive'])

/** Matcher of a rule; all given fields must match. */
export const RuleMatch = Type.Object(
  {
    tool: Type.Optional(Type.String({ description: 'Tool name, or a glob for tool names.' })),
    category: Type.Optional(Type.String()),
    effect: Type.Optional(Effect),
    agent: Type.Optional(Type.String()),
    client: Type.Optional(Type.String()),
    path: Type.Optional(
      Type.String({
        description:
          'Glob for workspace-relative paths. An allow rule must match every path that the call touches; an ask or deny rule, one.'
      })
    ),
    host: Type.Optional(
      Type.String({
        description:
          'Host such as example.com, *.example.com for all its subdomains, or example.com:8443. Without a port: ports 80 and 443.'
      })
    ),
    definition: Type.Optional(
      Type.String({
        description:
          'Hash of an MCP tool definition: the rule applies only while the definition is unchanged. Set automatically in ' +
          'rules saved by approving with "always".'
      })
    ),
    method: Type.Optional(
      Type.Enum(['GET', 'POST'], {
        description:
          'HTTP method. An allow rule with a method allows any content. An allow rule without a method allows only GET ' +
          'without custom headers.'
      })
    ),
    command: Type.Optional(Type.String({ description: 'Command text; see `mode`.' })),
    mode: Type.Optional(
      Type.Enum(['exact', 'prefix'], {
        description:
          '`exact` (default): the same words, or the whole line as written. `prefix`: the same leading words. Both are matched against each command of a line.'
      })
    ),
    pattern: Type.Optional(
      Type.String({
        maxLength: 1_024,
        description:
          'RE2 pattern for the whole value of a param. In a list, an allow rule must match every item; an ask or deny rule, one.'
      })
    ),
    param: Type.Optional(
      Type.String({
        description: 'Param that `pattern` applies to. Default: the main param, such as `command`, `path` or `url`.'
      })
    ),
    sources: Type.Optional(
      Type.Literal('approved', {
        description:
          '`approved`: the rule applies only while every workspace file that the command executes, such as scripts or ' +
          'the Makefile, has the content that a person last approved. Set automatically in rules saved by approving with ' +
          '"always".'
      })
    ),
    cwd: Type.Optional(
      Type.String({
        description:
          'Glob that the working directory must match, relative to the workspace root; `.` is the root itself. Default ' +
          'for an allow rule with a `command`: only the root.'
      })
    ),
    isolation: Type.Optional(
      Type.Enum([...ACCEPTED_LEVELS], {
        description:
          "Isolation of the command. An allow rule matches this level and stricter ones (default: the server's level); an ask or deny rule, this level and weaker ones. `strict` is the former name of `read-only`."
      })
    ),
    network: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Host patterns. An allow rule must match every host that the command requests (default: none); an ask or deny rule, one.'
      })
    ),
    ports: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: 65_535 }), {
        description:
          'Ports of a command that become reachable through the server. An allow rule must match every port (default: none); an ask or deny rule, one.'
      })
    )
  },
  { additionalProperties: false, title: 'Match' }
)
export type RuleMatch = Static<typeof RuleMatch>

export const RuleEffect = Type.Enum(['allow', 'ask', 'deny'])
export const RuleScope = Type.Enum(['session', 'workspace', 'user'])
export type RuleScope = Static<typeof RuleScope>

const Duration = (description: string) =>
  Type.String({
    pattern: `^${DURATION}$`,
    description: `${description} A whole number with the unit s, m, h or d, such as 90m.`
  })

export const RuleLimit = Type.Object(
  {
    calls: Type.Integer({
      minimum: 1,
      maximum: 100_000,
      description: 'Maximum number of calls that the rule allows within `per`.'
    }),
    per: Duration('Period of the limit; it slides.'),
    each: Type.Optional(
      Type.Enum(['agent', 'session'], {
        description:
          'Count the calls of each agent or of each session separately. Default: all calls together. Callers choose ' +
          'their session, so only agents with a token of their own are limited by `agent`.'
      })
    )
  },
  {
    additionalProperties: false,
    title: 'RuleLimit',
    description: 'Limit of an allow rule. Further calls that the rule matches need approval.'
  }
)
export type RuleLimit = Static<typeof RuleLimit>

/** The fields by which a saved rule ends by itself. */
export const RULE_END_FIELDS = {
  expires_at: Type.Optional(
    Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description: 'End of the rule. Default: none.' })
  ),
  for: Type.Optional(Duration('Lifetime of the rule, in place of `expires_at`.')),
  uses: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'Number of calls that the rule may allow before it ends. Only for allow rules.'
    })
  )
}

/** Maximum number of persons whose approval a rule can require. */
export const MAX_APPROVALS = 5

/** The fields by which an ask rule requires more of a decision. */
export const APPROVAL_DEMAND_FIELDS = {
  approvals: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_APPROVALS,
      description:
        'With `ask`: number of different persons who must approve the call. Default: 1. If several rules match, the ' +
        'largest number counts.'
    })
  ),
  expires_after: Type.Optional(
    Duration(
      'With `ask`: time after which a call that waits for approval expires, if it is shorter than `approval.ttl_ms`. If ' +
        'several rules match, the shortest time counts.'
    )
  )
}

/** A configured rule. Examples are checked when the rule is loaded. */
export const ConfiguredRule = Type.Object(
  {
    effect: RuleEffect,
    match: RuleMatch,
    reason: Type.Optional(Type.String({ description: 'Reason that is shown when the rule asks or denies.' })),
    approver: Type.Optional(
      Type.Literal('hub', {
        description:
          'With `ask`: only a person at the hub can approve the call. People at the server can only reject it. ' +
          '`hub.on_outage` decides while the hub is not available.'
      })
    ),
    ...APPROVAL_DEMAND_FIELDS,
    expires_at: Type.Optional(Type.Union([Type.String({ format: 'date-time' }), Type.Null()])),
    limit: Type.Optional(RuleLimit),
    examples: Type.Optional(
      Type.Object(
        { match: Type.Optional(Type.Array(Type.String())), no_match: Type.Optional(Type.Array(Type.String())) },
        {
          additionalProperties: false,
          description:
            'Values that the rule must match and must not match: commands (for rules with `command`, or with the param `command`), values of the param (for other patterns) or paths (for path rules).'
        }
      )
    )
  },
  { additionalProperties: false, title: 'ConfiguredRule' }
)
export type ConfiguredRule = Static<typeof ConfiguredRule>
