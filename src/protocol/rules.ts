// Schema of rules and their matchers.
import { type Static, Type } from 'typebox'
import { ACCEPTED_LEVELS } from './isolation-levels.ts'

const Effect = Type.Enum(['read', 'create', 'write', 'execute', 'network', 'destructive'])

/** Matcher of a rule; all given fields must match. */
export const RuleMatch = Type.Object(
  {
    tool: Type.Optional(Type.String({ description: 'Tool name, or a glob over names.' })),
    category: Type.Optional(Type.String()),
    effect: Type.Optional(Effect),
    agent: Type.Optional(Type.String()),
    client: Type.Optional(Type.String()),
    path: Type.Optional(
      Type.String({
        description:
          'Glob over workspace-relative paths. To allow, it must match every path touched; to ask or deny, any.'
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
          'Hash of an MCP tool definition: the rule applies only while it is unchanged. Set in rules that an approval with "always" saves.'
      })
    ),
    method: Type.Optional(
      Type.Enum(['GET', 'POST'], {
        description:
          'HTTP method. To allow, any content may be sent; if missing, only a GET without custom headers is allowed.'
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
          'RE2 pattern for the whole value of a param. To allow, every item of a list must match; to ask or deny, any.'
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
          'For commands: only while a person has approved the current content of every workspace file that it executes, such as scripts, package.json scripts or the Makefile. Set in rules that an approval with "always" saves.'
      })
    ),
    cwd: Type.Optional(
      Type.String({
        description:
          'Glob that the working directory must match; `.` is the workspace root. Default of allow rules with a `command`: only the root.'
      })
    ),
    isolation: Type.Optional(
      Type.Enum([...ACCEPTED_LEVELS], {
        description:
          "Isolation of the command: to allow, at least this level (default: the server's); to ask or deny, at most. `strict` is the former name of `read-only`."
      })
    ),
    network: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Host patterns. To allow, all requested hosts must match (default: none allowed); to ask or deny, any.'
      })
    ),
    ports: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: 65_535 }), {
        description:
          'Ports of a command that become reachable through the server. To allow, all must match (default: none allowed); to ask or deny, any.'
      })
    )
  },
  { additionalProperties: false, title: 'Match' }
)
export type RuleMatch = Static<typeof RuleMatch>

export const RuleEffect = Type.Enum(['allow', 'ask', 'deny'])
export const RuleScope = Type.Enum(['session', 'workspace', 'user'])
export type RuleScope = Static<typeof RuleScope>

/** A configured rule. Examples are checked when the rule is loaded. */
export const ConfiguredRule = Type.Object(
  {
    effect: RuleEffect,
    match: RuleMatch,
    reason: Type.Optional(Type.String({ description: 'Shown when the rule asks or denies.' })),
    approver: Type.Optional(
      Type.Literal('hub', {
        description:
          'With `ask`: only a person at the hub may approve the call; people at the server can reject it. `hub.on_outage` decides while the hub is not available.'
      })
    ),
    expires_at: Type.Optional(Type.Union([Type.String({ format: 'date-time' }), Type.Null()])),
    examples: Type.Optional(
      Type.Object(
        { match: Type.Optional(Type.Array(Type.String())), no_match: Type.Optional(Type.Array(Type.String())) },
        {
          additionalProperties: false,
          description:
            'Commands (for rules on a command, or on the param `command`), param values (for other patterns) or paths (for path rules) that it must and must not match.'
        }
      )
    )
  },
  { additionalProperties: false, title: 'ConfiguredRule' }
)
export type ConfiguredRule = Static<typeof ConfiguredRule>
