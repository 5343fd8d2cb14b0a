// The schema of the form for a new rule, with a description of each field.

const textField = (description: string) => ({ type: 'string', maxLength: 1_000, description })

/** The fields a rule can match against. */
export const MATCH_FIELDS = {
  tool: textField('Tool name, or a glob over names.'),
  command: textField('Command line.'),
  mode: {
    enum: ['exact', 'prefix'],
    description: 'How `command` must match: the whole command, or its first words.'
  },
  path: textField('Glob over workspace paths.'),
  host: textField('Host of a URL, or *.example.com.'),
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
    description: 'For commands: only while the files it executes are as a person approved them.'
  },
  cwd: textField('Working directory of the command.'),
  isolation: { enum: ['none', 'workspace', 'read-only'], description: 'Isolation of the command.' },
  network: {
    type: 'array',
    items: textField('A host pattern.'),
    description: 'Hosts that the call requests access to.'
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
    match: { type: 'object', properties: MATCH_FIELDS, description: 'Conditions; all must match.' },
    scope: { enum: ['workspace', 'user', 'session'], description: 'Scope of the rule; `user`: everywhere.' },
    workspace: textField('Workspace name, for scope workspace or session.'),
    session_id: textField('Session id, for scope session.'),
    reason: textField('Reason shown to the approver or the caller.'),
    expires_at: textField('Expiry, such as 2027-01-31T12:00:00Z. Default: until revoked.')
  }
}
