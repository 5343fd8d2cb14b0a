// Tests of the package of the Python client: it is installed from its folder and from a wheel, and works with the server.
import { copyFileSync, cpSync, readdirSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { createProject, UNSANDBOXED } from '../../cli/toolgate.ts'
import { needs } from '../../support/needs.ts'
import { makeTestFolder } from '../../support/test-folder.ts'
import { CLIENT, python } from './python.ts'

const PROGRAM = path.resolve('test/e2e/python/program.py')
/** Nothing is downloaded: what building needs is installed. */
const OFFLINE = ['--no-index', '--no-build-isolation', '--no-deps', '--disable-pip-version-check', '--quiet']

/** Makes an environment with the packages of the system, and returns its Python. */
async function makeEnvironment(folder: string) {
  await python(['-m', 'venv', '--system-site-packages', folder])
  return path.join(folder, 'bin/python3')
}

/** Runs the program outside of the repository with a server. */
async function runProgram(t: Test, program: string) {
  const { home, project, serveIn } = createProject(t, { 'a.txt': 'a\n' })
  await serveIn(UNSANDBOXED)
  copyFileSync(PROGRAM, path.join(home, 'program.py'))
  return python([path.join(home, 'program.py'), project], { cwd: home, env: { HOME: home } }, program)
}

const isPythonFile = (file: string) => /\.py$|\.typed$/.test(file)

t.test('is installed from its folder', needs('python3-hatchling', 'python3-httpx'), async t => {
  const folder = makeTestFolder(t)
  cpSync(CLIENT, path.join(folder, 'client'), { recursive: true })
  const program = await makeEnvironment(path.join(folder, 'environment'))
  await python(['-m', 'pip', 'install', ...OFFLINE, path.join(folder, 'client')], {}, program)
  t.equal(await runProgram(t, program), 'Edit a.txt\na.txt modified\n')
})

t.test('is installed from a wheel, with its types', needs('mypy', 'python3-hatchling', 'python3-httpx'), async t => {
  const folder = makeTestFolder(t)
  cpSync(CLIENT, path.join(folder, 'client'), { recursive: true })
  const program = await makeEnvironment(path.join(folder, 'environment'))
  await python(['-m', 'pip', 'wheel', ...OFFLINE, '--wheel-dir', folder, path.join(folder, 'client')], {}, program)
  const [wheel, ...others] = readdirSync(folder).filter(name => name.endsWith('.whl'))
  t.match(wheel, /^toolgate-\d+\.\d+\.\d+-py3-none-any\.whl$/)
  t.same(others, [])
  await python(['-m', 'pip', 'install', ...OFFLINE, path.join(folder, wheel!)], {}, program)
  const sources = readdirSync(path.join(CLIENT, 'src/toolgate'), { recursive: true, encoding: 'utf8' })
  const where = await python(['-c', 'import toolgate; print(toolgate.__path__[0])'], { cwd: folder }, program)
  const installed = readdirSync(where.trim(), { recursive: true, encoding: 'utf8' })
  t.same(installed.filter(isPythonFile).toSorted(), sources.filter(isPythonFile).toSorted(), 'all modules are in it')
  t.equal(await runProgram(t, program), 'Edit a.txt\na.txt modified\n')
  const check = ['-m', 'mypy', '--strict', '--cache-dir', '/dev/null', '--python-executable', program, PROGRAM]
  t.equal(await python(check, { cwd: folder }), 'Success: no issues found in 1 source file\n')
})
