// Changes that `toolgate setup` makes in the configuration of each agent, from the documentation of the agents.
import { existsSync } from 'node:fs'
import path from 'node:path'
import { quoteArgv } from '../../text/shell-quote.ts'
import { DECIDED_TOOLS } from '../agent-hook/tool-call.ts'

/** Project, home and MCP server of a setup. */
export interface SetupPlace {
  /** Absolute path of the project. */
  root: string
  home: string
  configHome: string
  platform: string
  /** Command of the MCP server. */
  server: { command: string; args: readonly string[] }
  /** Command that starts this program. */
  program: readonly string[]
}

/**
 * A value to set, or items to add to a list. `at` is the path of keys in the file. `parent`: the whole table that contains the value,
 * if the file has no such table.
 */
export type ConfigEdit = { file: string; at: readonly string[] } & (
  | { value: unknown; parent?: unknown }
  | { items: readonly unknown[] }
)

export interface Agent {
  title: string
  /** Sentence that says what happens to the agent's own edit and shell tools. */
  ownTools: string
  /** False if the agent still has tools whose calls bypass Toolgate. */
  gated: boolean
  /** Next step of the person. */
  next: string
  /** Name for `toolgate rules import --from`, if its permissions can be imported. */
  policyFormat?: string
  edits(place: SetupPlace): ConfigEdit[]
}

/** Permission rule of Claude Code for all tools of the MCP server. */
export const CLAUDE_MCP_RULE = 'mcp__toolgate'
/** Tools of Claude Code that edit files and run commands. */
export const CLAUDE_OWN_TOOLS: readonly string[] = ['Bash', 'Edit', 'Write', 'NotebookEdit']

/** Permissions of opencode for its tools that edit files and run commands. */
export const OPENCODE_OWN_TOOLS: readonly string[] = ['edit', 'bash']

/** As long as a call waits for approval by default. */
const DAY_S = 86_400
/** Longest time limit that the agent accepts. */
const CLINE_MAX_S = 3_600
const GATED = 'Its own edit and shell tools are switched off.'
const NOT_GATED = 'the edit and shell tools of the agent cannot be switched off, and their calls do not reach Toolgate.'

export const AGENTS: Readonly<Record<string, Agent>> = {
  // https://code.claude.com/docs/en/mcp, https://code.claude.com/docs/en/permissions, https://code.claude.com/docs/en/hooks
  'claude-code': {
    title: 'Claude Code',
    ownTools: GATED,
    gated: true,
    next: 'Start Claude Code again in this project.',
    policyFormat: 'claude-code',
    edits(place) {
      const { root, home, server } = place
      const settings = { file: path.join(root, '.claude/settings.local.json') }
      const registered = { file: path.join(home, '.claude.json') }
      return [
        { ...registered, at: ['projects', root, 'mcpServers', 'toolgate'], value: { type: 'stdio', ...server } },
        // Toolgate asks, so Claude Code need not.
        { ...settings, at: ['permissions', 'allow'], items: [CLAUDE_MCP_RULE] },
        { ...settings, at: ['permissions', 'deny'], items: CLAUDE_OWN_TOOLS },
        { ...settings, at: ['hooks', 'PreToolUse'], items: [hookFor('claude-code', DECIDED_TOOLS, place)] },
        { ...settings, at: ['hooks', 'PermissionRequest'], items: [hookFor('claude-code', '*', place)] }
      ]
    }
  },
  // https://developers.openai.com/codex/mcp, https://developers.openai.com/codex/config-reference, https://developers.openai.com/codex/hooks
  codex: {
    title: 'Codex',
    ownTools: 'Its shell tool is switched off. Its sandbox is read-only, and a hook asks Toolgate about its own edits.',
    gated: true,
    next: 'Start Codex again in this project. When it asks, trust the project and the hook: only then it uses the files.',
    policyFormat: 'codex',
    edits(place) {
      const { root, server } = place
      const config = { file: path.join(root, '.codex/config.toml') }
      const hooks = { file: path.join(root, '.codex/hooks.json') }
      return [
        { ...config, at: ['sandbox_mode'], value: 'read-only' },
        // Codex runs the hook when it would ask its user.
        { ...config, at: ['approval_policy'], value: 'on-request' },
        { ...hooks, at: ['hooks', 'PermissionRequest'], items: [hookFor('codex', '*', place)] },
        { ...config, at: ['features', 'shell_tool'], value: false },
        {
          ...config,
          at: ['mcp_servers', 'toolgate'],
          value: {
            ...server,
            required: true,
            startup_timeout_sec: 60,
            tool_timeout_sec: DAY_S,
            default_tools_approval_mode: 'approve'
          }
        }
      ]
    }
  },
  // https://opencode.ai/docs/mcp-servers, https://opencode.ai/docs/permissions
  opencode: {
    title: 'opencode',
    ownTools: GATED,
    gated: true,
    next: 'Start opencode again in this project, and approve the server if it asks (opencode mcp approve toolgate).',
    policyFormat: 'opencode',
    edits({ root, server: { command, args } }) {
      const names = ['opencode.jsonc', 'opencode.json', '.opencode/opencode.jsonc', '.opencode/opencode.json']
      const files = names.map(name => path.join(root, name))
      const config = {
        file: files.find(file => existsSync(file)) ?? path.join(root, 'opencode.json')
      }
      const server = { type: 'local', command: [command, ...args], enabled: true, timeout: DAY_S * 1000 }
      return [
        { ...config, at: ['mcp', 'toolgate'], value: server },
        ...OPENCODE_OWN_TOOLS.map(tool => ({ ...config, at: ['permission', tool], value: 'deny' }))
      ]
    }
  },
  // https://geminicli.com/docs/tools/mcp-server, https://geminicli.com/docs/reference/configuration
  'gemini-cli': {
    title: 'Gemini CLI',
    ownTools: GATED,
    gated: true,
    next: 'Start Gemini CLI again in this project, and trust the folder when it asks: only then it starts the server.',
    policyFormat: 'gemini-cli',
    edits({ root, server }) {
      const settings = { file: path.join(root, '.gemini/settings.json') }
      return [
        // Toolgate asks, so Gemini CLI need not (`trust`).
        {
          ...settings,
          at: ['mcpServers', 'toolgate'],
          value: { ...server, timeout: DAY_S * 1000, trust: true }
        },
        { ...settings, at: ['tools', 'exclude'], items: ['run_shell_command', 'write_file', 'replace'] }
      ]
    }
  },
  // https://cursor.com/docs/context/mcp, https://cursor.com/docs/cli/reference/permissions
  cursor: {
    title: 'Cursor',
    ownTools: `The Cursor CLI denies its own edit and shell tools. In the editor: ${NOT_GATED}`,
    gated: false,
    next: 'Enable the server in the settings of Cursor, under MCP.',
    edits: ({ root, server }) => [
      {
        file: path.join(root, '.cursor/mcp.json'),
        at: ['mcpServers', 'toolgate'],
        value: server
      },
      {
        file: path.join(root, '.cursor/cli.json'),
        at: ['permissions', 'deny'],
        items: ['Shell(*)', 'Write(**)']
      }
    ]
  },
  // https://code.visualstudio.com/docs/copilot/customization/mcp-servers, …/custom-agents
  vscode: {
    title: 'VS Code',
    ownTools:
      'Its own edit and shell tools are switched off in the custom agent "Toolgate" only: select it in the chat.',
    gated: false,
    next: 'Start the server in .vscode/mcp.json (a link above its entry), and select the agent "Toolgate" in the chat.',
    policyFormat: 'vs-code',
    edits: ({ root, server }) => [
      {
        file: path.join(root, '.vscode/mcp.json'),
        at: ['servers', 'toolgate'],
        value: { type: 'stdio', ...server }
      },
      { file: path.join(root, '.github/agents/Toolgate.agent.md'), at: [], value: VSCODE_AGENT }
    ]
  },
  // https://zed.dev/docs/ai/mcp, https://zed.dev/docs/ai/agent-profiles
  zed: {
    title: 'Zed',
    ownTools: 'The agent profile "Toolgate" has no tools of Zed; it is the default for new threads.',
    gated: true,
    next: 'Start a new thread in Zed with the profile "Toolgate". The server works on this project only.',
    edits({ configHome, server }) {
      const settings = { file: path.join(configHome, 'zed/settings.json') }
      return [
        { ...settings, at: ['context_servers', 'toolgate'], value: { ...server, timeout: DAY_S } },
        {
          ...settings,
          at: ['agent', 'profiles', 'toolgate'],
          value: { name: 'Toolgate', tools: {}, enable_all_context_servers: true }
        },
        { ...settings, at: ['agent', 'default_profile'], value: 'toolgate' }
      ]
    }
  },
  // https://block.github.io/goose/docs/guides/config-file
  goose: {
    title: 'Goose',
    ownTools: 'Its extension "developer", which contains its edit and shell tools, is switched off.',
    gated: true,
    next: 'Start a new session of Goose. The server works on this project only.',
    edits({ configHome, server }) {
      const config = { file: path.join(configHome, 'goose/config.yaml') }
      return [
        {
          ...config,
          at: ['extensions', 'toolgate'],
          value: {
            enabled: true,
            type: 'stdio',
            name: 'toolgate',
            cmd: server.command,
            args: server.args,
            timeout: DAY_S
          }
        },
        {
          ...config,
          at: ['extensions', 'developer', 'enabled'],
          value: false,
          parent: { enabled: false, type: 'builtin', name: 'developer', bundled: true, timeout: 300 }
        }
      ]
    }
  },
  // https://docs.cline.bot/getting-started/config, https://docs.cline.bot/mcp/mcp-overview
  cline: {
    title: 'Cline',
    ownTools: `Note: ${NOT_GATED} Do not enable auto-approval for them.`,
    gated: false,
    next: 'Restart Cline. The server works on this project only.',
    edits: ({ home, server }) => [
      {
        file: path.join(home, '.cline/data/settings/cline_mcp_settings.json'),
        at: ['mcpServers', 'toolgate'],
        value: { ...server, disabled: false, autoApprove: [], timeout: CLINE_MAX_S }
      }
    ]
  },
  // https://modelcontextprotocol.io/docs/develop/connect-local-servers
  'claude-desktop': {
    title: 'Claude Desktop',
    ownTools: 'It has no edit or shell tools.',
    gated: true,
    next: 'Restart Claude Desktop. The server works on this project only.',
    edits: ({ home, configHome, platform, server }) => [
      {
        file:
          platform === 'darwin'
            ? path.join(home, 'Library/Application Support/Claude/claude_desktop_config.json')
            : path.join(configHome, 'Claude/claude_desktop_config.json'),
        at: ['mcpServers', 'toolgate'],
        value: server
      }
    ]
  }
}

/** Returns an entry of the hooks of Claude Code, whose format Codex shares. `matcher`: names of tools. */
const hookFor = (agent: string, matcher: string, { root, program }: SetupPlace) => ({
  matcher,
  hooks: [
    {
      type: 'command',
      command: quoteArgv([...program, 'agent-hook', '--root', root, '--agent', agent]),
      timeout: DAY_S
    }
  ]
})

/** A custom agent that has only the tools of the MCP server. */
const VSCODE_AGENT = `---
name: Toolgate
description: Reads, edits and runs through Toolgate, where a person approves risky calls.
tools: ['toolgate/*']
---

Use the tools of the MCP server toolgate for all files and commands.
`
