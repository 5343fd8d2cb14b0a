// Which runner a project's tests are for, and how it is started for what a call asks for.
import { relative } from 'node:path/posix'
import { invalidParam, ToolError } from '../../../errors.ts'
import type { Context, Invocation } from '../../../tool/tool.ts'
import { foldersUp, hasFile, inFolder, isObject, nearestWith, objectIn, ownProgram } from './project-files.ts'
import { RUNNERS, type RunnerName, type TestRunner } from './test-runners.ts'

interface TestsAsked {
  path?: string
  filter?: string
  runner?: RunnerName
}

interface TestInvocation extends Invocation {
  name: RunnerName
}

interface Detected {
  runner: RunnerName
  cwd: string
  more: readonly string[]
}

/** Fails where no runner can be told, or it cannot do what is asked. */
export async function testInvocation(asked: TestsAsked, ctx: Context): Promise<TestInvocation> {
  if (asked.filter?.startsWith('-'))
    throw invalidParam('filter', 'begins with a dash, which a runner takes for an option.')
  const { path, kind } = ctx.host.files.peek(asked.path ?? '.')
  if (kind === 'missing') throw new ToolError('FILE_NOT_FOUND', `${asked.path} does not exist.`, { path: asked.path })
  const folder = kind === 'directory' ? path : (foldersUp(path)[1] ?? '.')
  const { runner, cwd, more } = asked.runner
    ? await named(asked.runner, folder, ctx)
    : await detected(path, folder, ctx)
  const known: TestRunner = RUNNERS[runner]
  const within = relative(cwd, path)
  const words = known.words({
    path:
      within === ''
        ? undefined
        : { name: within.startsWith('-') ? `./${within}` : within, isFolder: kind === 'directory' },
    filter: asked.filter,
    more,
    has: file => hasFile(ctx, cwd, file)
  })
  if (typeof words === 'string') throw invalidParam(asked.filter === undefined ? 'path' : 'filter', words)
  const program = ownProgram(ctx, cwd, known.own) ?? known.program
  if (program === undefined)
    throw new ToolError('EXECUTION_ERROR', `${runner} is not installed in ${cwd === '.' ? 'the workspace' : cwd}.`)
  return { name: runner, cwd, argv: [program, ...words] }
}

async function named(runner: RunnerName, folder: string, ctx: Context): Promise<Detected> {
  const cwd = nearestWith(ctx, folder, RUNNERS[runner].marks) ?? folder
  const found = hasFile(ctx, cwd, 'package.json') ? await ofPackage(cwd, ctx) : undefined
  return { runner, cwd, more: found?.runner === runner ? found.more : [] }
}

/** The nearest folder that is some runner's decides. */
async function detected(path: string, folder: string, ctx: Context): Promise<Detected> {
  for (const cwd of foldersUp(folder)) {
    const found = hasFile(ctx, cwd, 'package.json') ? await ofPackage(cwd, ctx) : undefined
    if (found) return { ...found, cwd }
    const runner = OTHERS.find(name => RUNNERS[name].marks.some(mark => hasFile(ctx, cwd, mark)))
    if (runner) return { runner, cwd, more: [] }
  }
  const [, runner] = BY_NAME.find(([name]) => name.test(path)) ?? []
  if (runner) return { runner, cwd: '.', more: [] }
  const where = folder === '.' ? 'the workspace' : folder
  const names = Object.keys(RUNNERS).join(', ')
  throw invalidParam('runner', `cannot be told from what is in ${where}: name one (${names}), or another path.`)
}

const OTHERS: RunnerName[] = ['cargo', 'go', 'maven', 'pytest', 'ctest']
const BY_NAME: [name: RegExp, runner: RunnerName][] = [
  [/\.py$/, 'pytest'],
  [/\.[cm]?[jt]s$/, 'node']
]

/** By the test script, where it is nothing but one runner with plain words; any other is for npm to run. Without one, by
 * the packages that the project wants. */
async function ofPackage(cwd: string, ctx: Context): Promise<Omit<Detected, 'cwd'> | undefined> {
  const { scripts, ...more } = (await objectIn(ctx, inFolder(cwd, 'package.json'))) ?? {}
  const { test, pretest, posttest } = isObject(scripts) ? scripts : {}
  if (typeof test === 'string' && !/^echo\b.*no test specified/i.test(test)) {
    const direct = pretest === undefined && posttest === undefined ? ofScript(test) : undefined
    return direct ?? { runner: 'npm', more: [] }
  }
  const wanted = [more.devDependencies, more.dependencies].filter(isObject)
  const runner = WITH_PACKAGE.find(name => wanted.some(packages => Object.hasOwn(packages, RUNNERS[name].package)))
  return runner && { runner, more: [] }
}

const WITH_PACKAGE = ['vitest', 'jest', 'tap'] as const
const DIRECT = /^(node --test|tap(?: run)?|vitest(?: run)?|jest)((?: +[\w./:@%+,=-]+)*) *$/

function ofScript(script: string): Omit<Detected, 'cwd'> | undefined {
  const [, head, rest = ''] = DIRECT.exec(script) ?? []
  if (head === undefined || /report|--json|--outputFile|--watch|-w\b/.test(rest)) return undefined
  const runner = head.split(' ')[0] as RunnerName
  return { runner, more: rest.split(' ').filter(word => word !== '') }
}
