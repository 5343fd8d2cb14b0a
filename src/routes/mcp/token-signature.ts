// Signatures of what MCP clients keep and send back. They are bound to the token of the client, so that they are invalid with another.
import { createHmac } from 'node:crypto'

/** Returns what signs texts for a token. */
export const signerFor =
  (token: string) =>
  (text: string): string =>
    createHmac('sha256', `toolgate mcp ${token}`).update(text).digest('base64url')
