// Tests of a server started by npm: its search path has folders of projects, some of them missing.
// tier: quick
import { chmodSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { startApp } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'

const settings = { sandbox: defaultSettings().sandbox }

t.test("started by npm, sandboxes commands and runs the machine's programs", needs('bwrap'), async t => {
  const { PATH } = process.env
  t.teardown(() => {
    process.env.PATH = PATH
  })
  const folder = path.join(process.env.TMPDIR ?? '/tmp', 'nobody-made-this')
  process.env.PATH = [`${folder}/node_modules/.bin`, '/nowhere/node_modules/.bin', PATH].join(':')
  const app = await startApp(t, { 'node_modules/.bin/ls': '#!/bin/sh\necho PLANTED\n', 'a.txt': '' }, { settings })
  const planted = path.join(app.root, 'node_modules/.bin')
  chmodSync(path.join(planted, 'ls'), 0o755)
  process.env.PATH = `${planted}:${process.env.PATH}`
  for (const command of ['ls a.txt', 'ls a.txt | cat']) {
    const { approved_by, result } = await app.call('shell_exec', { command })
    t.match(approved_by, { source: 'auto' }, command)
    t.match(result.data, { exit_code: 0, isolation: 'read-only', output: 'a.txt\n' }, command)
  }
  const { isolation } = await app.get('/capabilities')
  t.match(isolation.levels, [{ level: 'none' }, { holds: true }, { holds: true }])

  const asked = await app.call('shell_exec', { command: 'ls; touch b.txt' })
  const { digest } = asked.approval
  const { result } = await app.post(`/calls/${asked.tool_call_id}/approve?wait_ms=120000`, { digest, confirm: true })
  t.match(result.data, { output: 'PLANTED\n' }, 'what a person lets run finds programs as the server does')
})
