// Tests of the modes of sessions in a real Neovim, with the installed server.
import t from 'tap'
import { SESSION_MODES } from '../../../src/protocol/session-mode.ts'
import { beforeItPasses, timeIn } from '../../expiring.ts'
import { needs } from '../../support/needs.ts'
import { waitUntil } from '../../support/wait.ts'
import { hurry, world } from './world.ts'

t.test('modes', needs('nvim'), async t => {
  const at = await world(t)
  const { editor, client, edit, visit } = at
  const { until, lua, type } = editor
  await hurry(at)
  const mode = async () => (await client.modes()).modes.map(({ mode: name }) => name).join()
  const STATUS = `require('toolgate').status()`
  const LINE = `require('toolgate.beside').line()`

  t.same(await lua(`require('toolgate.modes').MODES`), SESSION_MODES)
  t.same(await lua(`vim.fn.getcompletion('Toolgate mode ', 'cmdline')`), [...SESSION_MODES, 'configured'].sort())

  await t.test('shows the mode of the session of a call, and m sets it', async t => {
    const { tool_call_id } = await edit({}, { session_id: 's/1' })
    await visit(tool_call_id)
    t.match(await lua(LINE), 'Toolgate  1 of 1 · mode ask · until ')
    await lua(`(function() vim.ui.select = function(choices, how, done)
      asked = how.prompt
      done('accept-edits')
    end return true end)()`)
    await type('m')
    await until(`${STATUS} == 'toolgate:1 accept-edits'`)
    t.equal(await lua('asked'), 'Mode of the session s/1, now ask:')
    t.match(await lua(LINE), '· mode accept-edits ·')
    t.match(await client.modes(), { modes: [{ session_id: 's/1', mode: 'accept-edits' }] })
  })

  await t.test('follows what others set, and :Toolgate mode sets it too', async t => {
    await client.setMode('s/1', { mode: 'plan' })
    await until(`${STATUS} == 'toolgate:1 plan'`)
    await editor.command('Toolgate mode ask')
    await waitUntil('the mode to be set', async () => (await mode()) === 'ask')
    await until(`${STATUS} == 'toolgate:1'`)
    await editor.command('Toolgate mode configured')
    await waitUntil('the mode to be removed', async () => (await mode()) === '')
    t.match(await editor.command('Toolgate mode yolo'), 'yolo is not a mode; available: configured, plan, ask, acc')
    await client.setMode('s/1', { mode: 'plan' })
    await until(`${STATUS} == 'toolgate:1 plan'`)
    await beforeItPasses(ms => client.setMode('s/1', { mode: 'plan', expires_at: timeIn(ms) }).catch(() => undefined))
    await until(`${STATUS} == 'toolgate:1'`)
  })
})
