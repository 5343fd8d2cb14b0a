/**
 * Effects of a secret that appears or is replaced while a sandboxed program runs: its output is withheld, or it can read the secret.
 */
export const NEW_SECRETS = {
  'read-only': 'withheld',
  workspace: 'readable',
  language_servers: 'readable',
  mcp_servers: 'readable',
  modules: 'readable'
} as const
