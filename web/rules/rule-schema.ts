// The schema of the form for a new rule, with a description of each field.

const textField = (description: string) => ({ type: 'string', maxLength: 1_000, description })

/** The fields a rule can match against. */
export const MATCH_FIELDS = {
  tool: textField('Tool name, or a glob for tool names.'),
  command: textField('Command line.'),
  mode: {
    enum: ['exact', 'prefix'],
    description: 'How `command` must match: the whole command, or its first words.'
  },
  path: textField('Glob for paths in the workspace.'),
  host: textField('Host of a URL, or *.example.com for all subdomains.'),
  method: { enum: ['GET', 'POST'], description: 'HTTP method of a web request.' },
  pattern: textField('Pattern for the whole value of a param.'),
  param: textField('Param that `pattern` applies to. Default: the main param of the tool.'),
  category: textField('Tool category, such as files.'),
  effect: {
    enum: ['read', 'create', 'write', 'execute', 'network', 'destructive'],
    description: 'Effect of the call.'
  },
  sources: {
    enum: ['approved'],
    description:
      'For commands: the rule applies only while the files that the command executes have the content that a person approved.'
  },
  cwd: textField('Working directory of the command.'),
  isolation: { enum: ['none', 'workspace', 'read-only'], description: 'Isolation of the command.' },
  network: {
    type: 'array',
    items: textField('A host pattern.'),
    description: 'Hosts that the command or code requests network access to.'
  },
  ports: {
    type: 'array',
    items: { type: 'integer', minimum: 1, maximum: 65_535, description: 'A port.' },
    description: 'Ports of the command that become reachable through the server.'
  },
  agent: textField('Name of the agent that sends the call.'),
  client: textField('Name of the client program that sends the call.'),
  definition: textField('Hash of the tool definition of an MCP server.')
}

export const NEW_RULE_SCHEMA = {
  type: 'object',
  required: ['effect', 'match', 'scope'],
  properties: {
    effect: { enum: ['allow', 'ask', 'deny'], description: 'Decision for matching calls.' },
    match: {
      type: 'object',
      properties: MATCH_FIELDS,
      description: 'Conditions of the rule. A call must match all of them.'
    },
    scope: {
      enum: ['workspace', 'user', 'session'],
      description: 'Scope of the rule. `user`: all workspaces and sessions of this server.'
    },
    workspace: textField('Name of the workspace, for scope workspace or session.'),
    session_id: textField('Id of the session, for scope session.'),
    reason: textField('Reason that the approver or the caller sees.'),
    approvals: {
      type: 'integer',
      minimum: 1,
      maximum: 5,
      description: 'For ask: number of different persons who must approve. Default: 1.'
    },
    expires_after: textField('For ask: time after which a waiting call expires, such as 10m.'),
    for: textField('Lifetime of the rule, such as 30m, 2h or 7d. Default: the rule applies until it is revoked.'),
    expires_at: textField('End of the rule as a time, in place of `for`, such as 2027-01-31T12:00:00Z.'),
    uses: { type: 'integer', minimum: 1, description: 'Number of calls that the rule allows before it ends.' },
    limit: {
      type: 'object',
      required: ['calls', 'per'],
      properties: {
        calls: { type: 'integer', minimum: 1, maximum: 100_000, description: 'Number of calls within the period.' },
        per: textField('Period, such as 10m, 1h or 1d.'),
        each: {
          enum: ['agent', 'session'],
          description: 'Count the calls of each agent or session separately. Default: all calls together.'
        }
      },
      description: 'Limit of an allow rule. Further calls need approval.'
    }
  }
}
