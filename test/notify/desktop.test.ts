// Notifications on the desktop, and the bell of a terminal.
// tier: quick
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { makeTestFolder } from '../support/test-folder.ts'
import { requestWrite, startNotifying, untilChannel } from './notify-fixture.ts'

t.test('runs notify-send in a desktop session, without the secrets of the server', async t => {
  const folder = makeTestFolder(t, {})
  const printed = path.join(folder, 'printed')
  const program = path.join(folder, 'notify-send')
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" > '${printed}'\nenv >> '${printed}'\n`)
  chmodSync(program, 0o755)
  const environment = { PATH: `${folder}:${process.env.PATH}`, DISPLAY: ':7', A_TOKEN: 'not for programs' }
  const app = await startNotifying(t, { channels: { screen: { kind: 'desktop' } }, detail: 'preview' }, { environment })
  await requestWrite(app, '<b>.txt')
  await untilChannel(app, 'screen', ({ last_success }) => last_success !== undefined)
  const text = readFileSync(printed, 'utf8')
  t.match(text, /^--app-name=Toolgate\n--\nApproval needed: .*<b>\.txt/)
  t.match(text, /&lt;b&gt;\.txt/)
  t.match(text, /^DISPLAY=:7$/m)
  t.notMatch(text, 'not for programs')
})

t.test('without a desktop session it rings the bell, or has a problem', async t => {
  const environment = { PATH: process.env.PATH }
  let rings = 0
  const channels = { screen: { kind: 'desktop' as const } }
  const app = await startNotifying(t, { channels }, { environment, ringBell: () => void rings++ })
  t.match(await app.post('/notifications/test', {}), { results: [{ accepted: true }] })
  t.equal(rings, 1)
  const other = await startNotifying(t, { channels }, { environment })
  t.match(await other.get('/notifications'), { channels: [{ problem: /no desktop session/ }] })
})
