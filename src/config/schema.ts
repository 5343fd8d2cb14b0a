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
        description: 'Folders to serve, each with a name. Empty: the current folder, named default.'
      }
    ),
    host: Type.String({
      default: '127.0.0.1',
      description: 'Address to listen on. Anything but loopback needs token_file.'
    }),
    port: Type.Integer({
      minimum: 0,
      maximum: 65535,
      default: 0,
      description: 'TCP port; 0 takes a free one: the previous one again, if it is.'
    }),
    socket: Type.Optional(Type.String({ description: 'Unix socket to listen on besides.' })),
    token_file: Type.Optional(
      Type.String({
        description: 'File holding the token that may call and approve (one line), instead of a fresh one.'
      })
    ),
    call_token_file: Type.Optional(
      Type.String({ description: 'File holding the call-only token (one line), instead of a fresh one.' })
    ),
    agent_token_files: Type.Record(Type.String({ minLength: 1, maxLength: 128 }), Type.String(), {
      default: {},
      description:
        'Files holding a call-only token each (one line), by the agent that it is given to: whoever shows it calls as that agent and no other.'
    }),
    allowed_hosts: Type.Array(Type.String(), {
      default: [],
      description: 'Further Host header values to accept, port included.'
    }),
    allowed_origins: Type.Array(Type.String(), {
      default: [],
      description: 'Origins of web pages that may speak to the server.'
    }),
    read_only: Type.Boolean({
      default: false,
      description:
        'Refuse every call that is not a read. Commands that only read still run where the sandbox keeps them to it.'
    }),
    approval: Type.Object(
      {
        ttl_ms: Type.Integer({
          minimum: 0,
          default: 86_400_000,
          description: 'How long a call waits for a decision; 0 for ever.'
        }),
        mode: Type.Enum([...SESSION_MODES], {
          default: 'ask',
          description:
            'The mode of sessions for which a person has set none. `plan`: calls only read, everything else is refused. `ask`: as policy says. ' +
            '`accept-edits`: edits of files in the workspace run without asking. `auto`: also commands that the sandbox `workspace` confines to ' +
            'what undo can take back.'
        })
      },
      { additionalProperties: false, default: {} }
    ),
    limits: Type.Object(
      {
        read: count(32, 'Reading calls that run at once.'),
        write: count(8, 'Writing calls that run at once.'),
        execute: count(8, 'Commands that run at once.'),
        network: count(8, 'Network calls that run at once.'),
        queue: count(10_000, 'Calls that may wait to run, or for a decision, before new ones get OVERLOADED.'),
        body_bytes: count(1_048_576, 'Largest request body.'),
        connections: count(2_048, 'Open connections. A token that may not approve gets at most a quarter of them.'),
        timeout_ms: count(600_000, 'Longest time limit a call may ask for.')
      },
      { additionalProperties: false, default: {} }
    ),
    cache: Type.Object(
      {
        ttl_ms: Type.Integer({
          minimum: 0,
          default: 60_000,
          description: 'How long an answer of a reading call may be reused; 0 switches the cache off.'
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
              'Address of the hub to which the journal is sent. On another machine only by https. None by default.'
          })
        ),
        token_file: Type.Optional(
          Type.String({
            description:
              "File holding this server's token for the hub (one line), instead of the one that it got for --hub-code."
          })
        ),
        rules_key: Type.Optional(
          Type.String({
            pattern: '^[A-Za-z0-9_-]{43}$',
            description:
              'Public key with which the rules of the hub are signed, instead of the one that the server got when it was enrolled.'
          })
        ),
        on_outage: Type.Enum(['local', 'wait', 'refuse'], {
          default: 'wait',
          description:
            'For calls that a rule wants approved at the hub, while the hub is away. `local`: people here may approve them. `wait`: they wait for the hub. `refuse`: they are rejected.'
        })
      },
      { additionalProperties: false, default: {} }
    ),
    journal: Type.Object(
      {
        max_age_days: count(30, 'Events and settled calls older than this are dropped.'),
        max_bytes: count(1_073_741_824, 'Size of the journal past which the oldest are dropped.')
      },
      { additionalProperties: false, default: {} }
    ),
    output: Type.Object(
      { spill_bytes: count(104_857_600, 'Captured output of one call; past it the middle is dropped and told.') },
      { additionalProperties: false, default: {} }
    ),
    undo: Type.Object(
      {
        max_age_days: count(
          14,
          'How long what calls replaced or removed is kept, so that they can be undone, and what is quarantined.'
        ),
        max_bytes: count(1_073_741_824, 'Room for each of the two; past that the oldest goes first.'),
        max_file_bytes: count(67_108_864, 'Of larger files nothing is kept: a change of one cannot be undone.'),
        track_commands: Type.Boolean({
          default: true,
          description:
            'Record what commands change in the workspace as changes of their calls, so that undo takes it back.'
        })
      },
      { additionalProperties: false, default: {} }
    ),
    watch: Type.Object(
      {
        external: Type.Boolean({
          default: true,
          description: 'Tell changes that somebody else makes as `file.changed`. Ignored folders are left out.'
        }),
        max_folders: count(16_384, 'A workspace with more folders that are not ignored is not watched.')
      },
      { additionalProperties: false, default: {} }
    ),
    search: Type.Object(
      {
        index: Type.Enum(['on', 'lazy', 'off'], {
          default: 'lazy',
          description:
            'When the index of `search_code` is built, in the background: `on` soon after the start, `lazy` when it is first asked for. `off`: never; it answers by word counts.'
        }),
        max_files: count(200_000, 'Files of a workspace that the index holds.'),
        max_file_bytes: count(1_048_576, 'Larger files are not indexed.'),
        max_bytes: count(1_073_741_824, 'Size of an index past which no new files are taken in.'),
        embeddings: Type.Object(
          {
            url: Type.Optional(
              Type.String({
                pattern: '^https?://',
                description:
                  'Endpoint that speaks as OpenAI does, up to before `/embeddings`, by which to find also what is meant in other words. Your code is sent there. None by default.'
              })
            ),
            model: Type.String({ default: 'text-embedding-3-small', description: 'Name of the model.' }),
            key_env: Type.Optional(Type.String({ description: 'Environment variable that holds the key.' })),
            dimensions: Type.Optional(
              Type.Integer({ minimum: 1, description: 'Dimensions to ask for, where the model leaves a choice.' })
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
            'When a call writes a file that an editor holds unsaved: `ask` whatever the rules say, `warn` in the preview and the result, or `delegate` the change to the editor.'
        })
      },
      { additionalProperties: false, default: {} }
    ),
    rules: Type.Array(ConfiguredRule, {
      default: [],
      description: 'What is allowed, asked or denied; see the approvals page.'
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
          description: 'Environment names passed to commands besides the standard ones.'
        })
      },
      { additionalProperties: false, default: {} }
    ),
    sensitive: Type.Object(
      {
        names: Type.Array(Type.String({ format: 'name-pattern' }), {
          default: [],
          description:
            'Further names of files and folders, with all in them, that are treated as secrets: a name, or several joined by `/`, at any depth and in upper or lower case. `*` is any characters within a name; there are no other globs, and no paths that begin with `/` or `./`.'
        }),
        call_only: Type.Enum(['deny', 'ask'], {
          default: 'deny',
          description: 'What a call-only token gets when it reads a sensitive file.'
        })
      },
      { additionalProperties: false, default: {} }
    ),
    sandbox: Type.Object(
      {
        level: Type.Enum(['auto', ...ISOLATION_LEVELS, FORMER_READ_ONLY], {
          default: 'auto',
          description:
            'What keeps commands that ask for nothing else. `auto`: `workspace` where it holds; where it does not, every command is asked about and the approval says so. `container` only where the server itself stands in one. `strict` is the former name of `read-only`.'
        }),
        run_code: Type.Enum(['refuse', 'ask'], {
          default: 'refuse',
          description: 'What `run_code` does where no sandbox holds: refuse, or ask to run it without.'
        }),
        read: Type.Array(Type.String(), {
          default: [],
          description: 'Further folders and files that sandboxed commands may read, such as a toolchain.'
        }),
        write: Type.Array(Type.String(), {
          default: [],
          description: 'Further folders that sandboxed commands may write, such as a package cache.'
        }),
        network: Type.Array(Type.String({ format: 'host' }), {
          default: [],
          description:
            'Hosts that sandboxed commands may reach without asking for them: names, or *.domain for all its subdomains.'
        }),
        memory_bytes: count(
          4_294_967_296,
          'Memory of a sandboxed command, with all it starts where the system can tell.'
        ),
        processes: count(512, 'Processes and threads of a sandboxed command.'),
        cpu_seconds: count(3_600, 'Processor time of each process of a sandboxed command.'),
        file_bytes: count(10_737_418_240, 'Largest file that a sandboxed command may write.'),
        open_files: count(4_096, 'Files that each process of a sandboxed command may have open.')
      },
      { additionalProperties: false, default: {} }
    ),
    commands: Type.Object(
      {
        max_jobs: count(32, 'Commands that may run on after their call.')
      },
      { additionalProperties: false, default: {} }
    ),
    git: Type.Object(
      {
        hooks: Type.Enum(['skip', 'ask'], {
          default: 'skip',
          description:
            'What becomes of the hooks of a repository when a call commits or pushes: they do not run, or the call is asked about with them as its command, and they run as commands do.'
        })
      },
      { additionalProperties: false, default: {} }
    ),
    language_servers: Type.Object(
      {
        enabled: Type.Boolean({ default: true, description: 'Ask language servers at all.' }),
        servers: Type.Record(
          Type.String(),
          Type.Object(
            {
              command: Type.Optional(Type.String({ minLength: 1, description: 'Program to start instead.' })),
              args: Type.Optional(Type.Array(Type.String(), { description: 'Its arguments.' })),
              settings: Type.Optional(
                Type.Record(Type.String(), Type.Unknown(), {
                  description: 'Settings by section, laid over those it gets otherwise.'
                })
              ),
              disabled: Type.Optional(Type.Boolean({ description: 'Never start it.' }))
            },
            { additionalProperties: false }
          ),
          {
            default: {},
            description:
              'What is to be otherwise, by the name of a language server. A workspace that is not trusted may only disable.'
          }
        ),
        memory_bytes: count(4_294_967_296, 'A language server that takes more, with all it started, is stopped.'),
        start_ms: count(60_000, 'How long one may take to start, and to answer while it reads the project.'),
        warm: Type.Boolean({
          default: true,
          description:
            'Start the server for a file that a call has changed or that an editor tells of, where the sandbox keeps it strictly, so that the next question finds it ready.'
        }),
        diagnostics_after_edit_ms: Type.Integer({
          minimum: 0,
          default: 1_500,
          description: 'How long the result of an edit waits for what language servers find in it; 0 for not at all.'
        })
      },
      { additionalProperties: false, default: {} }
    ),
    secrets: Type.Object(
      {
        mask: Type.Boolean({
          default: true,
          description:
            'Hide known secret values and what has the shape of a token in the output of commands and in logs.'
        }),
        env: Type.Array(Type.String(), {
          default: [],
          description: 'Further names, or globs over names, of environment variables whose values are secrets.'
        }),
        files: Type.Array(Type.String(), {
          default: ['.env', '.env.*'],
          description: 'Files at the root of a workspace whose NAME=value lines hold secrets.'
        })
      },
      { additionalProperties: false, default: {} }
    ),
    trust: Type.Record(Type.String(), Type.String(), {
      default: {},
      description:
        'Workspace files that may do more than tighten: path → sha256 of the content, besides what `toolgate trust` keeps. Only from the home folder or a flag.'
    }),
    log: Type.Object(
      {
        level: Type.Enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
          default: 'info',
          description: 'What is logged: this and what is worse.'
        })
      },
      { additionalProperties: false, default: {} }
    )
  },
  { additionalProperties: false, title: 'Configuration' }
)
/** The complete configuration with all defaults, and what no user sets. */
export type Config = Tuned<Static<typeof Config>>
