// The schema of the form for a new rule, with a description of each field.

const textField = (description: string) => ({ type: 'string', maxLength: 1_000, description })

/** The fields a rule can match against. */
export const MATCH_FIELDS = {
  tool: textField('Tool name, or a glob over names.'),
  command: textField('A command line.'),
  mode: { enum: ['exact', 'prefix'], description: 'How `command` is held: the same words, or the same leading words.' },
  path: textField('Glob over paths of the workspace.'),
  host: textField('Host of a URL, or *.example.com.'),
  method: { enum: ['GET', 'POST'], description: 'Method of a web request.' },
  pattern: textField('Pattern for the whole text of a param.'),
  param: textField('The param that `pattern` is for; left out, the one that a call is about.'),
  category: textField('Category of tools, such as files.'),
  effect: {
    enum: ['read', 'create', 'write', 'execute', 'network', 'destructive'],
    description: 'What the call would do.'
  },
  sources: {
    enum: ['approved'],
    description: 'With a command: only while what it executes is as a person approved it.'
  },
  cwd: textField('Folder that the command runs in.'),
  isolation: { enum: ['none', 'workspace', 'read-only'], description: 'What keeps the command.' },
  network: { type: 'array', items: textField('A host pattern.'), description: 'Hosts that the call asks to reach.' },
  ports: {
    type: 'array',
    items: { type: 'integer', minimum: 1, maximum: 65_535, description: 'A port.' },
    description: 'Ports of the command that become reachable through the server.'
  },
  agent: textField('Name of the agent that sends the call.'),
  client: textField('Name of the program that sends the call.'),
  definition: textField('Hash of what an MCP server says of its tool.')
}

export const NEW_RULE_SCHEMA = {
  type: 'object',
  required: ['effect', 'match', 'scope'],
  properties: {
    effect: { enum: ['allow', 'ask', 'deny'], description: 'What comes of a call that the rule is about.' },
    match: { type: 'object', properties: MATCH_FIELDS, description: 'Every field that is given must hold.' },
    scope: { enum: ['workspace', 'user', 'session'], description: 'Where it holds; `user` is everywhere.' },
    workspace: textField('Name of the workspace, with scope workspace or session.'),
    session_id: textField('The session, with scope session.'),
    reason: textField('Why, for whoever is asked or refused.'),
    expires_at: textField('Until when it holds, such as 2027-01-31T12:00:00Z; left out, until it is revoked.')
  }
}
