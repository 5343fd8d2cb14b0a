// The connections of the server: the MCP servers that it uses, the channels by which it notifies people, and the tokens with which others
// use it.
import { McpServers } from './mcp-servers.tsx'
import { Notifications } from './notifications.tsx'
import { Tokens } from './tokens.tsx'

export const Settings = () => (
  <div class="sheet">
    <header class="sheet-head">
      <h1>Settings</h1>
    </header>
    <McpServers />
    <Notifications />
    <Tokens />
  </div>
)
