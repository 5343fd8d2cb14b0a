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
import { NotificationsSchema } from './notifications.ts'
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
        description: 'Folders to serve, with their names. Default: the current folder, named `default`.'
      }
    ),
    host: Type.String({
      default: '127.0.0.1',
      description: 'Address to listen on. An address that is not loopback requires token_file.'
    }),
    port: Type.Integer({
      minimum: 0,
      maximum: 65535,
      default: 0,
      description: 'TCP port to listen on. 0 selects a free port, and the port of the previous run if it is free.'
    }),
    socket: Type.Optional(Type.String({ description: 'Additional Unix socket to listen on.' })),
    token_file: Type.Optional(
      Type.String({
        description: 'File that contains the token for calls and approvals on one line. Default: a generated token.'
      })
    ),
    call_token_file: Type.Optional(
      Type.String({ description: 'File that contains the call-only token on one line. Default: a generated token.' })
    ),
    agent_token_files: Type.Record(Type.String({ minLength: 1, maxLength: 128 }), Type.String(), {
      default: {},
      description: 'Files by agent name. Each contains, on one line, a call-only token that is bound to the agent.'
    }),
    allowed_hosts: Type.Array(Type.String(), {
      default: [],
      description: 'Additional values of the Host header that are accepted, including the port.'
    }),
    allowed_origins: Type.Array(Type.String(), {
      default: [],
      description: 'Origins of web pages that may access the server.'
    }),
    read_only: Type.Boolean({
      default: false,
      description:
        'Deny every call that is not a read. Read-only commands are allowed if the sandbox enforces that they only read.'
    }),
    approval: Type.Object(
      {
        ttl_ms: Type.Integer({
          minimum: 0,
          default: 86_400_000,
          description: 'Time after which a call that waits for approval expires. 0: no limit.'
        }),
        mode: Type.Enum([...SESSION_MODES], {
          default: 'ask',
          description:
            'Default mode of sessions. `plan`: read-only. `ask`: the rules decide. `accept-edits`: edits of files in the ' +
            'workspace run without approval. `auto`: also commands whose effects the sandbox `workspace` limits to what ' +
            'undo can revert.'
        })
      },
      { additionalProperties: false, default: {} }
    ),
    limits: Type.Object(
      {
        read: count(32, 'Maximum number of read calls that run at the same time.'),
        write: count(8, 'Maximum number of write calls that run at the same time.'),
        execute: count(8, 'Maximum number of commands that run at the same time.'),
        network: count(8, 'Maximum number of network calls that run at the same time.'),
        queue: count(10_000, 'Maximum number of queued and waiting calls. Further calls fail with OVERLOADED.'),
        body_bytes: count(1_048_576, 'Maximum size of a request body.'),
        connections: count(
          2_048,
          'Maximum number of open connections. A call-only token can have at most a quarter of them.'
        ),
        timeout_ms: count(600_000, "Maximum value of a call's time limit.")
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
            description:
              'URL of the hub that receives the journal. It must be https if the hub is on another machine. Default: none.'
          })
        ),
        token_file: Type.Optional(
          Type.String({
            description:
              "File that contains this server's token for the hub on one line, instead of the token from --hub-code."
          })
        ),
        rules_key: Type.Optional(
          Type.String({
            pattern: '^[A-Za-z0-9_-]{43}$',
            description: "Public key that signs the hub's rules, instead of the key from the enrollment."
          })
        ),
        on_outage: Type.Enum(['local', 'wait', 'refuse'], {
          default: 'wait',
          description:
            'Handling of calls that need approval at the hub while the hub is not available. `local`: people at this ' +
            'server can approve them. `wait`: they wait for the hub. `refuse`: they are rejected.'
        })
      },
      { additionalProperties: false, default: {} }
    ),
    journal: Type.Object(
      {
        max_age_days: count(30, 'Maximum age of events and ended calls in the journal.'),
        max_bytes: count(1_073_741_824, 'Maximum size of the journal; the oldest entries are deleted first.')
      },
      { additionalProperties: false, default: {} }
    ),
    output: Type.Object(
      {
        spill_bytes: count(
          104_857_600,
          'Maximum size of the stored output of one call. The middle of a larger output is dropped.'
        )
      },
      { additionalProperties: false, default: {} }
    ),
    undo: Type.Object(
      {
        max_age_days: count(
          14,
          'Maximum age of stored content: earlier versions of files, for undo, and quarantined files.'
        ),
        max_bytes: count(
          1_073_741_824,
          'Maximum size of the undo store, and of the quarantine folder. The oldest content is deleted first.'
        ),
        max_file_bytes: count(
          67_108_864,
          'Maximum size of a file in the undo store. Changes of larger files cannot be undone.'
        ),
        track_commands: Type.Boolean({
          default: true,
          description: 'Record file changes that commands make in the workspace, so that they can be undone.'
        })
      },
      { additionalProperties: false, default: {} }
    ),
    watch: Type.Object(
      {
        external: Type.Boolean({
          default: true,
          description: 'Report file changes that other programs make as `file.changed`, except in ignored folders.'
        }),
        max_folders: count(
          16_384,
          'Maximum number of watched folders, without ignored folders. A larger workspace is not watched.'
        )
      },
      { additionalProperties: false, default: {} }
    ),
    search: Type.Object(
      {
        index: Type.Enum(['on', 'lazy', 'off'], {
          default: 'lazy',
          description:
            'When the index of `search_code` is built in the background. `on`: soon after the start; `lazy`: at the ' +
            'first search; `off`: never, so that results are ranked by word counts.'
        }),
        max_files: count(200_000, 'Maximum number of indexed files in a workspace.'),
        max_file_bytes: count(1_048_576, 'Maximum size of an indexed file.'),
        max_bytes: count(1_073_741_824, 'Maximum size of an index. When it is reached, no more files are added.'),
        embeddings: Type.Object(
          {
            url: Type.Optional(
              Type.String({
                pattern: '^https?://',
                description:
                  'OpenAI-compatible endpoint for embeddings, without `/embeddings`. With it, `search_code` searches by ' +
                  'meaning, and your code is sent to the endpoint. Default: none.'
              })
            ),
            model: Type.String({ default: 'text-embedding-3-small', description: 'Name of the embedding model.' }),
            key_env: Type.Optional(
              Type.String({ description: 'Environment variable with the API key of the endpoint.' })
            ),
            dimensions: Type.Optional(
              Type.Integer({
                minimum: 1,
                description: 'Number of dimensions of an embedding, if the model supports several.'
              })
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
            'Action if a call writes a file that has unsaved changes in an editor. `ask`: the call always needs ' +
            'approval. `warn`: preview and result have a note. `delegate`: the editor makes the change.'
        })
      },
      { additionalProperties: false, default: {} }
    ),
    rules: Type.Array(ConfiguredRule, {
      default: [],
      description: 'Rules that allow, ask about or deny calls. See the approvals page.'
    }),
    filters: Filters,
    agents: Agents,
    toolsets: ToolsetsSchema,
    web: WebSchema,
    telemetry: TelemetrySchema,
    notifications: NotificationsSchema,
    mcp: McpSchema,
    mcp_servers: McpServersSchema,
    command_tools: CommandTools,
    custom_tools: CustomToolsSettings,
    hooks: HooksSchema,
    env: Type.Object(
      {
        allow: Type.Array(Type.String(), {
          default: [],
          description: 'Additional environment variables for commands.'
        })
      },
      { additionalProperties: false, default: {} }
    ),
    sensitive: Type.Object(
      {
        names: Type.Array(Type.String({ format: 'name-pattern' }), {
          default: [],
          description:
            'Names of files and folders that contain secrets, in addition to the built-in ones: a name, or several names ' +
            'joined by `/`. They match at any depth, case-insensitively. `*` matches any characters within a name. Other ' +
            'globs, and paths that begin with `/` or `./`, are not supported.'
        }),
        call_only: Type.Enum(['deny', 'ask'], {
          default: 'deny',
          description: 'Decision if a call-only token reads a file that may contain secrets.'
        })
      },
      { additionalProperties: false, default: {} }
    ),
    sandbox: Type.Object(
      {
        level: Type.Enum(['auto', ...ISOLATION_LEVELS, FORMER_READ_ONLY], {
          default: 'auto',
          description:
            'Default isolation of commands. `auto`: `workspace`, if available; if not, every command needs approval and ' +
            'its preview says why. `container`: only if the server runs in a container. `strict` is the former name of ' +
            '`read-only`.'
        }),
        run_code: Type.Enum(['refuse', 'ask'], {
          default: 'refuse',
          description: 'Action if `run_code` has no sandbox: deny the call, or ask for approval.'
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
            'Hosts that sandboxed commands may access without approval. A host is a name, or *.domain for all its subdomains.'
        }),
        memory_bytes: count(
          4_294_967_296,
          'Memory limit of a sandboxed command. It includes child processes if the system can measure them.'
        ),
        processes: count(512, 'Maximum number of processes and threads of a sandboxed command.'),
        cpu_seconds: count(3_600, 'Maximum CPU time of each process of a sandboxed command.'),
        file_bytes: count(10_737_418_240, 'Maximum size of a file that a sandboxed command writes.'),
        open_files: count(4_096, 'Maximum number of open files of each process of a sandboxed command.')
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
            'Git hooks of a repository, when a call commits or pushes. `skip`: they do not run. `ask`: the call needs ' +
            'approval, and the hooks run like commands.'
        })
      },
      { additionalProperties: false, default: {} }
    ),
    language_servers: Type.Object(
      {
        enabled: Type.Boolean({ default: true, description: 'Start language servers.' }),
        servers: Type.Record(
          Type.String(),
          Type.Object(
            {
              command: Type.Optional(
                Type.String({
                  minLength: 1,
                  description: 'Program of the language server, instead of the default program.'
                })
              ),
              args: Type.Optional(Type.Array(Type.String(), { description: 'Arguments.' })),
              settings: Type.Optional(
                Type.Record(Type.String(), Type.Unknown(), {
                  description: 'Settings of the language server by section. They are merged into the default settings.'
                })
              ),
              disabled: Type.Optional(Type.Boolean({ description: 'Do not start this language server.' }))
            },
            { additionalProperties: false }
          ),
          {
            default: {},
            description:
              'Settings by name of the language server. A workspace that is not trusted can only disable language servers.'
          }
        ),
        memory_bytes: count(
          4_294_967_296,
          'Memory limit of a language server with its child processes. A language server that exceeds it is stopped.'
        ),
        start_ms: count(
          60_000,
          'Time limit for the start of a language server, and for answers while it loads the project.'
        ),
        warm: Type.Boolean({
          default: true,
          description:
            'Start a language server when a call changes a file, or an editor reports unsaved text of a file, so that the server is ready ' +
            'for later queries. Requires a read-only sandbox.'
        }),
        diagnostics_after_edit_ms: Type.Integer({
          minimum: 0,
          default: 1_500,
          description: 'Time that the result of an edit waits for diagnostics. 0: it does not wait.'
        })
      },
      { additionalProperties: false, default: {} }
    ),
    secrets: Type.Object(
      {
        mask: Type.Boolean({
          default: true,
          description:
            'Mask secret values that are known, and texts that look like tokens, in the output of commands and in logs.'
        }),
        env: Type.Array(Type.String(), {
          default: [],
          description: 'Additional environment variables with secret values: names, or globs for names.'
        }),
        files: Type.Array(Type.String(), {
          default: ['.env', '.env.*'],
          description: 'Files at the workspace root that contain secrets as lines of the form NAME=value.'
        })
      },
      { additionalProperties: false, default: {} }
    ),
    trust: Type.Record(Type.String(), Type.String(), {
      default: {},
      description:
        "Trusted workspace files, in addition to those of `toolgate trust`: path → sha256 of the content. Only in the user's configuration file or on the command line."
    }),
    log: Type.Object(
      {
        level: Type.Enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
          default: 'info',
          description: 'Minimum level of messages in the log.'
        })
      },
      { additionalProperties: false, default: {} }
    )
  },
  { additionalProperties: false, title: 'Configuration' }
)
/** The complete configuration with all defaults, and what no user sets. */
export type Config = Tuned<Static<typeof Config>>
