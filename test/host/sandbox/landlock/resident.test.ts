// Tests that programs which run on, such as jobs, terminals, language servers and MCP servers, are confined by Landlock, too.
// tier: full
import { chmodSync, existsSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { LSP_PROJECTS, writeFiles } from '../../../e2e/language-servers/projects.ts'
import { buildLauncher } from '../../../support/launcher.ts'
import { needs } from '../../../support/needs.ts'
import { waitUntil } from '../../../support/wait.ts'
import { startInContainer } from '../container-fixture.ts'
import { processLines } from '../fixture.ts'

const LEVELS = ['auto', 'container'] as const

/** Starts a server in a container, with a program in its workspace that attempts to reach it and writes what it could do into a file. */
async function start(t: Test, level: (typeof LEVELS)[number], configuration?: (project: string) => object) {
  const world = await startInContainer(t, { level, launcher: buildLauncher(), ...(configuration && { configuration }) })
  const { home, project } = world
  const attack = [
    '#!/bin/bash',
    `state=${path.join(home, '.local/state/toolgate')}`,
    '{ find $state -type f -exec cat {} +',
    'cat /proc/[0-9]*/environ | tr "\\0" "\\n" | grep ^TOOLGATE_',
    'for process in /proc/[0-9]*; do',
    '  [ "$(cat $process/comm)" = node ] && kill -0 $(basename $process) && echo signalled',
    'done',
    'touch $state/new && echo written',
    'echo attempted >&2; } >"$1" 2>"$1.errors"'
  ]
  writeFileSync(path.join(project, 'attack'), attack.join('\n'))
  chmodSync(path.join(project, 'attack'), 0o755)

  const read = (file: string) => readFileSync(path.join(project, file), 'utf8')
  /** Waits for the program to end that was given this file, and checks that it could do nothing. */
  async function assertRefused(file: string) {
    const errors = `${file}.errors`
    await waitUntil(
      `the attempts of ${file}`,
      () => existsSync(path.join(project, errors)) && /^attempted$/m.test(read(errors))
    )
    t.equal(read(file), '', file)
    t.match(read(errors), /\/state\/toolgate.*: Permission denied/, file)
  }
  return { ...world, assertRefused }
}

for (const level of LEVELS)
  t.test(`jobs, terminals and MCP servers, ${level}`, needs('bwrap', 'landlock'), async t => {
    const { call, approve, assertRefused } = await start(t, level, project => ({
      mcp_servers: { one: { command: path.join(project, 'attack'), args: ['by-mcp'] } }
    }))
    for (const [file, params] of [
      ['by-job', {}],
      ['by-terminal', { pty: {} }]
    ] as const) {
      const { body } = await call('shell_background', { command: `./attack ${file}`, ...params })
      t.match(body, { status: 'awaiting_approval' }, file)
      t.match((await approve(body)).result.data, { isolation: level === 'auto' ? 'workspace' : 'container' }, file)
      await assertRefused(file)
    }
    const { body } = await call('mcp_tool', { server: 'one', tool: 'x' })
    t.match(body, { status: 'error', error: { code: /^MCP_/ } }, 'it is none that answers')
    await assertRefused('by-mcp')
  })

t.test('a language server runs unasked, confined', needs('bwrap', 'landlock', 'clangd'), async t => {
  const { call, project } = await startInContainer(t, { level: 'container', launcher: buildLauncher() })
  const fixture = LSP_PROJECTS.find(({ server }) => server === 'clangd')!
  writeFiles(fixture, project)
  const { body } = await call('diagnostics', { path: fixture.file })
  t.match(body, { status: 'success', result: { data: { status: 'complete', answered: [{ server: 'clangd' }] } } })
  const states = processLines()
    .filter(line => line.includes('clangd'))
    .map(line => `/proc/${Number.parseInt(line, 10)}`)
    .filter(process => linkTarget(`${process}/cwd`) === project)
    .map(process => readFileSync(`${process}/status`, 'utf8'))
  t.ok(states.some(state => /^NoNewPrivs:\t1$/m.test(state) && /^Seccomp:\t2$/m.test(state)))
})

function linkTarget(link: string): string | undefined {
  try {
    return readlinkSync(link)
  } catch {
    // The process has ended, or is one of the kernel.
    return undefined
  }
}
