// The form of a new rule: its fields as a schema, with what each is for.

const text = (description: string) => ({ type: 'string', maxLength: 1_000, description })

/** What a rule may be held against. */
export const MATCH = {
  tool: text('Tool name, or a glob over names.'),
  command: text('A command line.'),
  mode: { enum: ['exact', 'prefix'], description: 'How `command` is held: the same words, or the same leading words.' },
  path: text('Glob over paths of the workspace.'),
  host: text('Host of a URL, or *.example.com.'),
  method: { enum: ['GET', 'POST'], description: 'Method of a web request.' },
  pattern: text('Pattern for the whole text of a param.'),
  param: text('The param that `pattern` is for; left out, the one that a call is about.'),
  category: text('Category of tools, such as files.'),
  effect: {
    enum: ['read', 'create', 'write', 'execute', 'network', 'destructive'],
    description: 'What the call would do.'
  },
  cwd: text('Folder that the command runs in.'),
  isolation: { enum: ['none', 'workspace', 'strict'], description: 'What keeps the command.' },
  network: { type: 'array', items: text('A host pattern.'), description: 'Hosts that the call asks to reach.' },
  agent: text('Name of the agent that sends the call.'),
  client: text('Name of the program that sends the call.'),
  definition: text('Hash of what an MCP server says of its tool.')
}

export const NEW_RULE = {
  type: 'object',
  required: ['effect', 'match', 'scope'],
  properties: {
    effect: { enum: ['allow', 'ask', 'deny'], description: 'What comes of a call that the rule is about.' },
    match: { type: 'object', properties: MATCH, description: 'Every field that is given must hold.' },
    scope: { enum: ['workspace', 'user', 'session'], description: 'Where it holds; `user` is everywhere.' },
    workspace: text('Name of the workspace, with scope workspace or session.'),
    session_id: text('The session, with scope session.'),
    reason: text('Why, for whoever is asked or refused.'),
    expires_at: text('Until when it holds, such as 2027-01-31T12:00:00Z; left out, until it is revoked.')
  }
}
