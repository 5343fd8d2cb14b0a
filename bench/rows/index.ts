// All rows, in the order of measurement and report.

import approvals from './approvals.ts'
import type { Benchmark } from './benchmark.ts'
import burst from './burst.ts'
import cli from './cli.ts'
import code from './code.ts'
import judging from './command-analysis.ts'
import commands from './commands.ts'
import console from './console.ts'
import edit from './edit.ts'
import edits from './edits.ts'
import endurance from './endurance.ts'
import events from './events.ts'
import fairness from './fairness.ts'
import fuzzy from './fuzzy.ts'
import git from './git.ts'
import health from './health.ts'
import hub from './hub.ts'
import list from './list.ts'
import machine from './machine.ts'
import mcpClient from './mcp-client.ts'
import mcpServer from './mcp-server.ts'
import order from './order.ts'
import policy from './policy.ts'
import read from './read.ts'
import search from './search.ts'
import searchCode from './search-code.ts'
import shell from './shell.ts'
import start from './start.ts'
import streams from './streams.ts'
import undo from './undo.ts'
import write from './write.ts'

export const BENCHMARKS: readonly Benchmark[] = [
  machine,
  read,
  write,
  edit,
  edits,
  fuzzy,
  undo,
  shell,
  commands,
  order,
  health,
  fairness,
  burst,
  approvals,
  judging,
  policy,
  search,
  searchCode,
  list,
  git,
  code,
  events,
  streams,
  hub,
  mcpClient,
  mcpServer,
  start,
  cli,
  console,
  endurance
]
