// The faults of what a server depends on: how each is made, the call that needs what fails, and how it is repaired.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { rgPath } from '@vscode/ripgrep'
import { execaSync } from 'execa'
import { createGreedyPdf, createPdf } from '../pdf.ts'
import { type FaultWorld, timeUntil } from './fault-world.ts'

type Call = readonly [tool: string, params: object]

export interface Fault {
  name: string
  how: string
  /** The call that needs what fails. */
  call: Call
  /** Makes the fault; resolves with a function that repairs it. */
  inject(world: FaultWorld): Promise<() => void | Promise<void>>
  /** The server ends by itself, or is ended: it is started again once the fault is repaired. */
  endsServer?: true
  /** Checks what else has to be normal again besides the calls. */
  isNormal?(world: FaultWorld): Promise<boolean>
}

const SEARCH: Call = ['grep', { pattern: 'needle' }]
const STATUS: Call = ['git_status', {}]
const COMMAND: Call = ['shell_exec', { command: 'echo hello' }]
const HOVER: Call = ['hover', { path: 'a.yaml', line: 1, col: 1 }]
const MCP: Call = ['mcp:fake:greet', { name: 'Ada' }]
const HOOKED: Call = ['create_directory', { path: 'made' }]
const NAMES: Call = ['glob', { pattern: '*.txt' }]
const WRITE: Call = ['write_file', { path: 'probe.txt', content: 'probe\n' }]

/** The usual limit of a user namespace. */
const MANY_WATCHES = 2_147_483_647
let addedFolders = 0

/** Ways in which a program can fail, as the text that takes its place, with its mode. */
const FAILURES: Readonly<Record<string, readonly [text: string, mode: number]>> = {
  'cannot be executed': ['', 0o644],
  'ends at once': ['#!/bin/sh\necho out of luck >&2\nexit 3\n', 0o755],
  'is killed': ['#!/bin/sh\nkill -9 $$\n', 0o755],
  'answers nonsense': ['#!/bin/sh\nhead -c 100000 /dev/urandom\n', 0o755],
  'answers without end': ['#!/bin/sh\nyes nonsense | head -c 200000000\n', 0o755],
  hangs: ['#!/bin/sh\nexec sleep 8\n', 0o755]
}

function endHelpers(world: FaultWorld) {
  for (const pid of world.findHelpers()) process.kill(pid, 'SIGKILL')
}

/** Replaces a program of the machine for the server alone. */
const replaced = (file: string, name: string, call: Call): Fault[] =>
  Object.entries(FAILURES).map(([failure, [text, mode]]) => ({
    name: `${name} ${failure}`,
    how: `another file is mounted over ${path.basename(file)}`,
    call,
    async inject(world) {
      const other = path.join(world.folder, `instead-of-${path.basename(file)}`)
      writeFileSync(other, text, { mode })
      chmodSync(other, mode)
      world.inside('mount', '--bind', other, file)
      // Those of git have mounts of their own, from before.
      endHelpers(world)
      return () => {
        world.inside('umount', '--lazy', file)
        endHelpers(world)
      }
    }
  }))

/** Replaces a program that the configuration names, and kills its running processes, which are found by a part of their command line. */
const configured = (program: string, name: string, call: Call, commandLine: string): Fault[] =>
  Object.entries(FAILURES).map(([failure, [text, mode]]) => ({
    name: `${name} ${failure}`,
    how: 'its file is replaced, and what runs is killed',
    call,
    async inject(world) {
      const before = readFileSync(path.join(world.programs, program), 'utf8')
      world.writeProgram(program, text, mode)
      endPrograms(commandLine, world)
      return () => {
        world.writeProgram(program, before)
      }
    }
  }))

/** Kills the processes of the server whose command line holds a text. */
function endPrograms(text: string, { pid }: FaultWorld) {
  for (const each of descendantsOf(pid)) if (readCommandLine(each).includes(text)) process.kill(each, 'SIGKILL')
}

function descendantsOf(pid: number): number[] {
  const { stdout } = execaSync('sh', ['-c', `cat /proc/${pid}/task/*/children 2>/dev/null || true`])
  return stdout
    .trim()
    .split(/\s+/)
    .filter(Boolean)
    .map(Number)
    .flatMap(child => [child, ...descendantsOf(child)])
}

const readCommandLine = (pid: number) =>
  execaSync('sh', ['-c', `tr '\\0' ' ' < /proc/${pid}/cmdline || true`], { stdio: ['ignore', 'pipe', 'ignore'] }).stdout

const NOTHING_TO_REPAIR = () => {}

export const FAULTS: readonly Fault[] = [
  ...replaced(rgPath, 'ripgrep', SEARCH),
  ...replaced(execaSync('sh', ['-c', 'realpath "$(command -v git)"']).stdout, 'git', STATUS),
  ...configured('language-server', 'the language server', HOVER, 'fake-server'),
  ...configured('mcp', 'the MCP server', MCP, 'scripted-server'),
  ...configured('hook', 'the hook', HOOKED, 'programs/hook'),
  {
    name: 'the helper that starts programs is killed',
    how: 'SIGKILL',
    call: COMMAND,
    async inject(world) {
      endHelpers(world)
      return NOTHING_TO_REPAIR
    }
  },
  {
    name: 'the helper that starts programs hangs',
    how: 'SIGSTOP for 3 s',
    call: COMMAND,
    async inject(world) {
      const stopped = world.findHelpers()
      for (const pid of stopped) process.kill(pid, 'SIGSTOP')
      const timer = setTimeout(3_000).then(() => {
        for (const pid of stopped) if (existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGCONT')
      })
      return () => timer
    }
  },
  {
    name: 'no more files can be opened',
    how: 'RLIMIT_NOFILE below what is open',
    call: COMMAND,
    async inject({ pid }) {
      const columns = ['--nofile', '--output', 'SOFT,HARD', '--noheadings']
      const [soft, most] = execaSync('prlimit', ['--pid', String(pid), ...columns])
        .stdout.trim()
        .split(/\s+/)
      const open = readdirSync(`/proc/${pid}/fd`).length
      execaSync('prlimit', ['--pid', String(pid), `--nofile=${open}:${most}`])
      return () => void execaSync('prlimit', ['--pid', String(pid), `--nofile=${soft}:${most}`])
    }
  },
  {
    name: 'no more folders can be watched',
    how: 'the limit of the user namespace is lowered, and a folder is added',
    call: NAMES,
    async inject(world) {
      await timeUntil(() => world.isWatching(), 60_000)
      world.limitWatches(0)
      mkdirSync(path.join(world.project, `added-${++addedFolders}`))
      await timeUntil(async () => !(await world.isWatching()), 60_000)
      return () => world.limitWatches(MANY_WATCHES)
    },
    isNormal: world => world.isWatching()
  },
  {
    name: 'a document takes all memory of its reader',
    how: 'a small PDF with a word of 150 million letters',
    call: ['read_file', { path: 'a.pdf' }],
    async inject({ project }) {
      const file = path.join(project, 'a.pdf')
      writeFileSync(file, createGreedyPdf())
      return () => writeFileSync(file, createPdf(['Some text']))
    }
  },
  {
    name: 'the workspace is moved away',
    how: 'renamed, and back',
    call: WRITE,
    async inject({ project }) {
      renameSync(project, `${project}-gone`)
      return () => renameSync(`${project}-gone`, project)
    }
  },
  {
    name: 'the server is killed',
    how: 'SIGKILL',
    call: COMMAND,
    endsServer: true,
    async inject(world) {
      await world.stop()
      return NOTHING_TO_REPAIR
    }
  },
  {
    name: 'the journal is deleted',
    how: 'its files are removed while the server runs; repaired by `toolgate journal repair`',
    call: WRITE,
    endsServer: true,
    async inject(world) {
      const folder = world.findJournalFolder()
      for (const name of readdirSync(folder)) if (name.startsWith('journal.db')) rmSync(path.join(folder, name))
      await timeUntil(() => world.hasExited, 60_000)
      return () => world.repairJournal()
    }
  }
]
