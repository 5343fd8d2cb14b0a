// Determines a project's test runner and its command for a call.
import { relative } from 'node:path/posix'
import { invalidParam, ToolError } from '../../../errors.ts'
import { isObject } from '../../../text/json-object.ts'
import type { ReadContext } from '../../../tool/contexts.ts'
import type { Invocation } from '../../../tool/request.ts'
import {
  describeMissing,
  findInstalledProgram,
  folderAndAncestors,
  hasFile,
  inFolder,
  nearestWith,
  readProjectJson
} from './project-files.ts'
import { RUNNERS, type RunnerName, type TestRunner } from './test-runners.ts'

interface TestRunInput {
  path?: string
  filter?: string
  runner?: RunnerName
}

/** A test runner, and the program that starts it. */
export interface TestRun {
  runner: RunnerName
  program: Invocation
}

interface DetectedRunner {
  runner: RunnerName
  cwd: string
  extraArgs: readonly string[]
}

/** Fails if no runner is detected, or it does not support the request. */
export async function planTestRun(input: TestRunInput, ctx: ReadContext): Promise<TestRun> {
  if (input.filter?.startsWith('-'))
    throw invalidParam('filter', 'begins with a dash, which a test runner treats as an option.')
  const { path, kind } = ctx.host.files.peek(input.path ?? '.')
  if (kind === 'missing') throw new ToolError('FILE_NOT_FOUND', `${input.path} does not exist.`, { path: input.path })
  const folder = kind === 'directory' ? path : (folderAndAncestors(path)[1] ?? '.')
  const { runner, cwd, extraArgs } = input.runner
    ? await configureRunner(input.runner, folder, ctx)
    : await detectRunner(path, folder, ctx)
  const known: TestRunner = RUNNERS[runner]
  const within = relative(cwd, path)
  const words = known.buildArgs({
    path:
      within === ''
        ? undefined
        : { name: within.startsWith('-') ? `./${within}` : within, isFolder: kind === 'directory' },
    filter: input.filter,
    extraArgs,
    hasFile: file => hasFile(ctx, cwd, file)
  })
  if (typeof words === 'string') throw invalidParam(input.filter === undefined ? 'path' : 'filter', words)
  const program = findInstalledProgram(ctx, cwd, known)
  if (program === undefined) throw new ToolError('EXECUTION_ERROR', describeMissing(runner, known, cwd))
  return { runner, program: { cwd, argv: [program, ...words] } }
}

async function configureRunner(runner: RunnerName, folder: string, ctx: ReadContext): Promise<DetectedRunner> {
  const cwd = nearestWith(ctx, folder, RUNNERS[runner].marks) ?? folder
  const found = hasFile(ctx, cwd, 'package.json') ? await detectInPackageJson(cwd, ctx) : undefined
  return { runner, cwd, extraArgs: found?.runner === runner ? found.extraArgs : [] }
}

/** Uses the nearest folder that belongs to a runner. */
async function detectRunner(path: string, folder: string, ctx: ReadContext): Promise<DetectedRunner> {
  for (const cwd of folderAndAncestors(folder)) {
    const found = hasFile(ctx, cwd, 'package.json') ? await detectInPackageJson(cwd, ctx) : undefined
    if (found) return { ...found, cwd }
    const runner = FOLDER_RUNNERS.find(name => RUNNERS[name].marks.some(mark => hasFile(ctx, cwd, mark)))
    if (runner) return { runner, cwd, extraArgs: [] }
  }
  const [, runner] = RUNNER_BY_FILE_NAME.find(([name]) => name.test(path)) ?? []
  if (runner) return { runner, cwd: '.', extraArgs: [] }
  const where = folder === '.' ? 'the workspace' : folder
  const names = Object.keys(RUNNERS).join(', ')
  throw invalidParam(
    'runner',
    `cannot be detected from the files in ${where}: specify a runner (${names}) or another path.`
  )
}

const FOLDER_RUNNERS: RunnerName[] = ['cargo', 'go', 'maven', 'pytest', 'ctest']
const RUNNER_BY_FILE_NAME: [name: RegExp, runner: RunnerName][] = [
  [/\.py$/, 'pytest'],
  [/\.[cm]?[jt]s$/, 'node']
]

/**
 * Detects by the test script, if that is one runner with plain arguments; any other is run by npm. Without one, by the project's
 * dependencies.
 */
async function detectInPackageJson(cwd: string, ctx: ReadContext): Promise<Omit<DetectedRunner, 'cwd'> | undefined> {
  const { scripts, ...more } = (await readProjectJson(ctx, inFolder(cwd, 'package.json'))) ?? {}
  const { test, pretest, posttest } = isObject(scripts) ? scripts : {}
  if (typeof test === 'string' && !/^echo\b.*no test specified/i.test(test)) {
    const direct = pretest === undefined && posttest === undefined ? parseTestScript(test) : undefined
    return direct ?? { runner: 'npm', extraArgs: [] }
  }
  const wanted = [more.devDependencies, more.dependencies].filter(isObject)
  const runner = PACKAGE_RUNNERS.find(name => wanted.some(packages => Object.hasOwn(packages, RUNNERS[name].package)))
  return runner && { runner, extraArgs: [] }
}

const PACKAGE_RUNNERS = ['vitest', 'jest', 'tap'] as const
const DIRECT_SCRIPT = /^(node --test|tap(?: run)?|vitest(?: run)?|jest)((?: +[\w./:@%+,=-]+)*) *$/

function parseTestScript(script: string): Omit<DetectedRunner, 'cwd'> | undefined {
  const [, head, rest = ''] = DIRECT_SCRIPT.exec(script) ?? []
  if (head === undefined || /report|--json|--outputFile|--watch|-w\b/.test(rest)) return undefined
  const runner = head.split(' ')[0] as RunnerName
  return { runner, extraArgs: rest.split(' ').filter(word => word !== '') }
}
