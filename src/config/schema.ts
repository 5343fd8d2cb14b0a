// Schema of the configuration: the single source of settings, defaults and descriptions, from which the documentation page is
// generated. Sources and errors are handled where the configuration is loaded.
import { type Static, Type } from 'typebox'
import { FORMER_READ_ONLY, ISOLATION_LEVELS } from '../protocol/isolation-levels.ts'
import { ConfiguredRule } from '../protocol/rules.ts'
import { SESSION_MODES } from '../protocol/session-mode.ts'
import { Agents } from './agents.ts'
import { CommandTools, CustomToolsSettings } from './custom-tools.ts'
import { Filters } from './filters.ts'
import { HooksSchema } from './hooks.ts'
import { McpSchema, McpServersSchema } from './mcp.ts'
import { TelemetrySchema } from './telemetry.ts'
import { ToolsetsSchema } from './toolsets.ts'
import type { Tuned } from './tuning.ts'
import { WebSchema } from './web.ts'

const count = (value: number, description: string) => Type.Integer({ minimum: 1, default: value, description })

export const Config = Type.Object(
  {
    roots: Type.Array(
      Type.Object(
        { name: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' }), path: Type.String() },
        { additionalProperties: false }
      ),
      {
        default: [],
        description: 'Folders to serve, with names. Empty: the current folder, named default.'
      }
    ),
    host: Type.String({
      default: '127.0.0.1',
      description: 'Address to listen on. Addresses other than loopback require token_file.'
    }),
    port: Type.Integer({
      minimum: 0,
      maximum: 65535,
      default: 0,
      description: 'TCP port; 0 selects a free one, the previous one if possible.'
    }),
    socket: Type.Optional(Type.String({ description: 'Additional Unix socket to listen on.' })),
    token_file: Type.Optional(
      Type.String({
        description: 'File with the token for calls and approvals (one line). Default: a generated token.'
      })
    ),
    call_token_file: Type.Optional(
      Type.String({ description: 'File with the call-only token (one line). Default: a generated token.' })
    ),
    agent_token_files: Type.Record(Type.String({ minLength: 1, maxLength: 128 }), Type.String(), {
      default: {},
      description: 'Files with one call-only token each (one line), by agent: the token is bound to that agent.'
    }),
    allowed_hosts: Type.Array(Type.String(), {
      default: [],
      description: 'Additional accepted Host header values, including the port.'
    }),
    allowed_origins: Type.Array(Type.String(), {
      default: [],
      description: 'Origins of web pages that may access the server.'
    }),
    read_only: Type.Boolean({
      default: false,
      description: 'Deny every call that is not a read. Read-only commands still run if the sandbox enforces that.'
    }),
    approval: Type.Object(
      {
        ttl_ms: Type.Integer({
          minimum: 0,
          default: 86_400_000,
          description: 'Time that calls wait for approval; 0: no limit.'
        }),
        mode: Type.Enum([...SESSION_MODES], {
          default: 'ask',
          description:
            'Default mode of sessions. `plan`: read-only. `ask`: as policy decides. `accept-edits`: edits of files in the workspace run without approval. `auto`: also commands whose effects the sandbox `workspace` limits to what undo can revert.'
        })
      },
      { additionalProperties: false, default: {} }
    ),
    limits: Type.Object(
      {
        read: count(32, 'Concurrent read calls.'),
        write: count(8, 'Concurrent write calls.'),
        execute: count(8, 'Concurrent commands.'),
        network: count(8, 'Concurrent network calls.'),
        queue: count(10_000, 'Maximum number of queued and waiting calls; further ones get OVERLOADED.'),
        body_bytes: count(1_048_576, 'Maximum size of a request body.'),
        connections: count(
          2_048,
          'Maximum number of open connections. A token that may not approve gets at most a quarter of them.'
        ),
        timeout_ms: count(600_000, 'Maximum time limit of a call.')
      },
      { additionalProperties: false, default: {} }
    ),
    cache: Type.Object(
      {
        ttl_ms: Type.Integer({
          minimum: 0,
          default: 60_000,
          description: 'Time that results of read calls are cached; 0 disables the cache.'
        })
      },
      { additionalProperties: false, default: {} }
    ),
    hub: Type.Object(
      {
        url: Type.Optional(
          Type.String({
            pattern: '^https?://',
            description: 'URL of the hub that receives the journal; https unless on this machine. Default: none.'
          })
        ),
        token_file: Type.Optional(
          Type.String({
            description: "File with this server's token for the hub (one line), instead of the token from --hub-code."
          })
        ),
        rules_key: Type.Optional(
          Type.String({
            pattern: '^[A-Za-z0-9_-]{43}$',
            description: "Public key of the hub's rules, instead of the key from enrollment."
          })
        ),
        on_outage: Type.Enum(['local', 'wait', 'refuse'], {
          default: 'wait',
          description:
            'For calls that a rule requires to be approved at the hub, while the hub is not available. `local`: people at this server may approve them. `wait`: they wait for the hub. `refuse`: they are rejected.'
        })
      },
      { additionalProperties: false, default: {} }
    ),
    journal: Type.Object(
      {
        max_age_days: count(30, 'Maximum age of events and ended calls.'),
        max_bytes: count(1_073_741_824, 'Maximum size of the journal; the oldest entries are deleted first.')
      },
      { additionalProperties: false, default: {} }
    ),
    output: Type.Object(
      { spill_bytes: count(104_857_600, 'Maximum captured output of one call; beyond it the middle is dropped.') },
      { additionalProperties: false, default: {} }
    ),
    undo: Type.Object(
      {
        max_age_days: count(
          14,
          'Time that replaced and removed content is stored for undo, and quarantined files are kept.'
        ),
        max_bytes: count(1_073_741_824, 'Maximum size of each of the two; the oldest content is deleted first.'),
        max_file_bytes: count(
          67_108_864,
          'Maximum size of a file stored for undo: changes of larger files cannot be undone.'
        ),
        track_commands: Type.Boolean({
          default: true,
          description: 'Record file changes by commands in the workspace, so that they can be undone.'
        })
      },
      { additionalProperties: false, default: {} }
    ),
    watch: Type.Object(
      {
        external: Type.Boolean({
          default: true,
          description: 'Report changes made outside Toolgate as `file.changed`, except in ignored folders.'
        }),
        max_folders: count(16_384, 'Maximum number of folders that are not ignored; larger workspaces are not watched.')
      },
      { additionalProperties: false, default: {} }
    ),
    search: Type.Object(
      {
        index: Type.Enum(['on', 'lazy', 'off'], {
          default: 'lazy',
          description:
            'When the index of `search_code` is built in the background: `on` soon after the start, `lazy` at the first search, `off` never, so that results are ranked by word counts.'
        }),
        max_files: count(200_000, 'Maximum number of indexed files of a workspace.'),
        max_file_bytes: count(1_048_576, 'Maximum size of an indexed file.'),
        max_bytes: count(1_073_741_824, 'Maximum size of an index; then no files are added.'),
        embeddings: Type.Object(
          {
            url: Type.Optional(
              Type.String({
                pattern: '^https?://',
                description:
                  'OpenAI-compatible endpoint for embeddings, without `/embeddings`, to search by meaning. Your code is sent there. Default: none.'
              })
            ),
            model: Type.String({ default: 'text-embedding-3-small', description: 'Model name.' }),
            key_env: Type.Optional(Type.String({ description: 'Environment variable with the key.' })),
            dimensions: Type.Optional(
              Type.Integer({ minimum: 1, description: 'Number of dimensions, if the model supports several.' })
            )
          },
          { additionalProperties: false, default: {} }
        )
      },
      { additionalProperties: false, default: {} }
    ),
    buffers: Type.Object(
      {
        on_write: Type.Enum(['ask', 'warn', 'delegate'], {
          default: 'ask',
          description:
            'When a call writes a file with unsaved changes in an editor: `ask` always needs approval, `warn` adds a note to preview and result, `delegate` lets the editor make the change.'
        })
      },
      { additionalProperties: false, default: {} }
    ),
    rules: Type.Array(ConfiguredRule, {
      default: [],
      description: 'Rules that allow, ask about or deny calls; see the approvals page.'
    }),
    filters: Filters,
    agents: Agents,
    toolsets: ToolsetsSchema,
    web: WebSchema,
    telemetry: TelemetrySchema,
    mcp: McpSchema,
    mcp_servers: McpServersSchema,
    command_tools: CommandTools,
    custom_tools: CustomToolsSettings,
    hooks: HooksSchema,
    env: Type.Object(
      {
        allow: Type.Array(Type.String(), {
          default: [],
          description: 'Additional environment variables passed to commands.'
        })
      },
      { additionalProperties: false, default: {} }
    ),
    sensitive: Type.Object(
      {
        names: Type.Array(Type.String({ format: 'name-pattern' }), {
          default: [],
          description:
            'Additional names of secret files and folders with their contents: a name, or several joined by `/`, at any depth, case-insensitive. `*` matches any characters within a name; other globs and paths that begin with `/` or `./` are not supported.'
        }),
        call_only: Type.Enum(['deny', 'ask'], {
          default: 'deny',
          description: 'Decision if a call-only token reads a sensitive file.'
        })
      },
      { additionalProperties: false, default: {} }
    ),
    sandbox: Type.Object(
      {
        level: Type.Enum(['auto', ...ISOLATION_LEVELS, FORMER_READ_ONLY], {
          default: 'auto',
          description:
            'Default isolation of commands. `auto`: `workspace` if available; otherwise every command needs approval, with a note. `container` only if the server runs in a container. `strict` is the former name of `read-only`.'
        }),
        run_code: Type.Enum(['refuse', 'ask'], {
          default: 'refuse',
          description: '`run_code` without a sandbox: deny, or ask for approval.'
        }),
        read: Type.Array(Type.String(), {
          default: [],
          description: 'Additional folders and files that sandboxed commands may read, such as a toolchain.'
        }),
        write: Type.Array(Type.String(), {
          default: [],
          description: 'Additional folders that sandboxed commands may write, such as a package cache.'
        }),
        network: Type.Array(Type.String({ format: 'host' }), {
          default: [],
          description:
            'Hosts that sandboxed commands may access without approval: names, or *.domain for all its subdomains.'
        }),
        memory_bytes: count(
          4_294_967_296,
          'Memory limit of a sandboxed command, including child processes if the system can measure it.'
        ),
        processes: count(512, 'Maximum number of processes and threads of a sandboxed command.'),
        cpu_seconds: count(3_600, 'CPU time of each process of a sandboxed command.'),
        file_bytes: count(10_737_418_240, 'Maximum size of files written by a sandboxed command.'),
        open_files: count(4_096, 'Open files of each process of a sandboxed command.')
      },
      { additionalProperties: false, default: {} }
    ),
    commands: Type.Object(
      {
        max_jobs: count(32, 'Maximum number of background commands.')
      },
      { additionalProperties: false, default: {} }
    ),
    git: Type.Object(
      {
        hooks: Type.Enum(['skip', 'ask'], {
          default: 'skip',
          description:
            'Hooks of a repository when a call commits or pushes: `skip` does not run them; `ask` needs approval, and runs them like commands.'
        })
      },
      { additionalProperties: false, default: {} }
    ),
    language_servers: Type.Object(
      {
        enabled: Type.Boolean({ default: true, description: 'Enable language servers.' }),
        servers: Type.Record(
          Type.String(),
          Type.Object(
            {
              command: Type.Optional(
                Type.String({ minLength: 1, description: 'Program to use instead of the default.' })
              ),
              args: Type.Optional(Type.Array(Type.String(), { description: 'Arguments.' })),
              settings: Type.Optional(
                Type.Record(Type.String(), Type.Unknown(), {
                  description: 'Settings by section, merged into the defaults.'
                })
              ),
              disabled: Type.Optional(Type.Boolean({ description: 'Do not start the server.' }))
            },
            { additionalProperties: false }
          ),
          {
            default: {},
            description:
              'Changes by name of a language server. A workspace that is not trusted may only disable servers.'
          }
        ),
        memory_bytes: count(
          4_294_967_296,
          'Memory limit; a language server that exceeds it, with its child processes, is stopped.'
        ),
        start_ms: count(60_000, 'Time limit to start, and to answer while the project is loading.'),
        warm: Type.Boolean({
          default: true,
          description:
            'Start the server for files that calls change or editors report, if it runs in a read-only sandbox, so that it is ready for later queries.'
        }),
        diagnostics_after_edit_ms: Type.Integer({
          minimum: 0,
          default: 1_500,
          description: 'Time that results of edits wait for diagnostics; 0: do not wait.'
        })
      },
      { additionalProperties: false, default: {} }
    ),
    secrets: Type.Object(
      {
        mask: Type.Boolean({
          default: true,
          description: 'Mask known secret values and texts that look like tokens in the output of commands and in logs.'
        }),
        env: Type.Array(Type.String(), {
          default: [],
          description: 'Additional names, or globs over names, of environment variables with secret values.'
        }),
        files: Type.Array(Type.String(), {
          default: ['.env', '.env.*'],
          description: 'Files at the root of a workspace whose NAME=value lines contain secrets.'
        })
      },
      { additionalProperties: false, default: {} }
    ),
    trust: Type.Record(Type.String(), Type.String(), {
      default: {},
      description:
        'Trusted workspace files: path → sha256 of the content, in addition to `toolgate trust`. Only from the home folder or a flag.'
    }),
    log: Type.Object(
      {
        level: Type.Enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
          default: 'info',
          description: 'Minimum level of log messages.'
        })
      },
      { additionalProperties: false, default: {} }
    )
  },
  { additionalProperties: false, title: 'Configuration' }
)
/** The complete configuration with all defaults, and what no user sets. */
export type Config = Tuned<Static<typeof Config>>
