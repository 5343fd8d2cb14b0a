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
          'Host such as example.com, *.example.com for all its subdomains, or example.com:8443. Without a port it is for 80 and 443.'
      })
    ),
    definition: Type.Optional(
      Type.String({
        description:
          'Hash of what an MCP server says of a tool: the rule holds for nothing else that has its name. Rules made by answering "always" have it.'
      })
    ),
    method: Type.Optional(
      Type.Enum(['GET', 'POST'], {
        description:
          'Method of a web request. To allow, it is with whatever the request sends; where this is missing, only what sends nothing is allowed: a GET without headers of its own.'
      })
    ),
    command: Type.Optional(Type.String({ description: 'Command text; see `mode`.' })),
    mode: Type.Optional(
      Type.Enum(['exact', 'prefix'], {
        description:
          '`exact` (default): the same words, or the whole line as written. `prefix`: the same leading words. Both are held against each command of a line.'
      })
    ),
    pattern: Type.Optional(
      Type.String({
        maxLength: 1_024,
        description:
          'Pattern as RE2 has them, for the whole text of a param. To allow, every item of a list must match; to ask or deny, any.'
      })
    ),
    param: Type.Optional(
      Type.String({
        description:
          'The param that `pattern` is held against. Default: the one that says what the call is about, such as `command`, `path` or `url`.'
      })
    ),
    sources: Type.Optional(
      Type.Literal('approved', {
        description:
          'With a command: only while a person has approved every file that it executes in the workspace with the content that it has now, such as scripts, the scripts of package.json or the Makefile. Rules made by answering "always" have it.'
      })
    ),
    cwd: Type.Optional(
      Type.String({
        description:
          'Glob over the folder that the command runs in, relative to the workspace root, which is `.`. To allow a `command`, the root alone where this is missing.'
      })
    ),
    isolation: Type.Optional(
      Type.Enum([...ACCEPTED_LEVELS], {
        description:
          'What keeps the command: to allow, this or more (default: what the server gives commands); to ask or deny, this or less. `strict` is the former name of `read-only`.'
      })
    ),
    network: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Host patterns. To allow, they must cover all that the call asks to reach, and without them none is; to ask or deny, any.'
      })
    ),
    ports: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: 65_535 }), {
        description:
          'Ports of a command that become reachable through the server. To allow, all that the call names, and without them none; to ask or deny, any.'
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
          'With `ask`: only a person at the hub may approve the call. People at the server can reject it; `hub.on_outage` decides for the time in which the hub is away.'
      })
    ),
    expires_at: Type.Optional(Type.Union([Type.String({ format: 'date-time' }), Type.Null()])),
    examples: Type.Optional(
      Type.Object(
        { match: Type.Optional(Type.Array(Type.String())), no_match: Type.Optional(Type.Array(Type.String())) },
        {
          additionalProperties: false,
          description:
            'Commands (for rules on a command, or on the param `command`), texts of the param (for other patterns) or paths (for path rules) it must and must not match.'
        }
      )
    )
  },
  { additionalProperties: false, title: 'ConfiguredRule' }
)
export type ConfiguredRule = Static<typeof ConfiguredRule>
