// Fixture: a server in a container, emulated by bubblewrap. Its namespace forbids new ones, so that bubblewrap cannot be used in it.
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { connectWithCurl, type Json } from '../../acceptance/fixture.ts'
import { createProject, type ReadyLine } from '../../cli/toolgate.ts'
import { exitOf, once, within } from '../../support/wait.ts'

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url))
const LAUNCHER = `native/build/linux-${process.arch}/toolgate-confine`
const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))

interface ContainerOptions {
  /** The setting `sandbox.level` of the server. */
  level: 'auto' | 'container'
  /** Without it, there is no Landlock either. */
  launcher?: string
  /** The user's configuration, for a project. */
  configuration?: (project: string) => object
}

export async function startInContainer(t: Test, { level, launcher, configuration }: ContainerOptions) {
  const at = createProject(t, { 'a.txt': 'a\n' })
  if (configuration) {
    const settings = path.join(at.home, '.config/toolgate')
    mkdirSync(settings, { recursive: true })
    writeFileSync(path.join(settings, 'config.jsonc'), JSON.stringify(configuration(at.project)))
  }
  const bwrap = [
    ...['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--ro-bind', PROJECT, PROJECT],
    ...['--bind', at.folder, at.folder, '--tmpfs', path.join(PROJECT, 'native')],
    ...(launcher === undefined ? [] : ['--ro-bind', launcher, path.join(PROJECT, LAUNCHER)]),
    ...['--unshare-user', '--disable-userns', '--unshare-pid', '--unshare-cgroup', '--die-with-parent']
  ]
  const serve = ['serve', '--ready', 'json', '--log-level', 'info', '--exit-with-stdin']
  const server = spawn('bwrap', [...bwrap, process.execPath, MAIN, ...serve], {
    cwd: at.project,
    env: {
      PATH: process.env.PATH,
      HOME: at.home,
      TOOLGATE_ADMIN_CONFIG: `${at.folder}/none`,
      TOOLGATE_SANDBOX_LEVEL: level,
      // Set like a container engine does for the first process.
      container: 'test'
    }
  })
  const ended = exitOf(server)
  t.teardown(async () => {
    server.kill('SIGKILL')
    await within('the killed server to end', ended)
  })
  let said = ''
  server.stderr.setEncoding('utf8').on('data', text => {
    said += text
  })
  const [line] = await Promise.race([
    once(createInterface({ input: server.stdout }), 'line'),
    ended.then(() => Promise.reject(new Error(said)))
  ])
  const spoken = connectWithCurl(JSON.parse(line) as ReadyLine)
  const approve = async ({ tool_call_id, approval: { digest } }: Json): Promise<Json> => {
    const { body } = await spoken.post(`/calls/${tool_call_id}/approve?wait_ms=120000`, { digest, confirm: true })
    return body
  }
  async function logged(words: string) {
    while (!said.includes(words)) await once(server.stderr, 'data')
  }
  return { ...spoken, approve, logged, ...at }
}
