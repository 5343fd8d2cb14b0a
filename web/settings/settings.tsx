// The connections of the server: the MCP servers that it uses, and the tokens with which others use it.
import { McpServers } from './mcp-servers.tsx'
import { Tokens } from './tokens.tsx'

export const Settings = () => (
  <div class="sheet">
    <header class="sheet-head">
      <h1>Settings</h1>
    </header>
    <McpServers />
    <Tokens />
  </div>
)
