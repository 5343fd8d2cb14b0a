// Tests of commands that a limit ends, in the formats of toolsets whose results have no field for that.
// tier: quick
import t from 'tap'
import { defaultSettings } from '../../../src/config/merge.ts'
import { type Json, startApp, toApproval } from '../../start-app.ts'
import { needs } from '../../support/needs.ts'

const MIB = 1 << 20
const TOO_MUCH = 'print(len(bytearray(512 << 20)))'

t.test('memory', needs('bwrap', 'python3', 'cgroups'), async t => {
  const { sandbox } = defaultSettings()
  const settings = { sandbox: { ...sandbox, level: 'workspace' as const, memory_bytes: 96 * MIB } }
  const app = await startApp(t, { 'much.py': TOO_MUCH }, { settings })

  async function answer(toolset: string, tool: string, params: object): Promise<Json> {
    const first = await app.post(`/calls?toolset=${toolset}`, { tool, params })
    const [waiting] = (await app.get('/approvals')).approvals
    if (!waiting) return first
    return app.post(`/approve?wait_ms=120000&toolset=${toolset}`, { ...toApproval(waiting), confirm: true })
  }

  const expectAnswer = async (toolset: string, tool: string, params: object, expected: object) => {
    const given = await answer(toolset, tool, params)
    const [{ status, error }] = (await app.get('/calls?limit=1')).calls
    t.match(given, expected, `${toolset} answers ${JSON.stringify({ given, status, error })}`)
  }
  await expectAnswer(
    'workspace',
    'run_code',
    { language: 'python', code: TOO_MUCH },
    { ok: false, error: { code: 'EXECUTION_ERROR', message: /memory limit was exceeded/, details: { stdout: '' } } }
  )
  await expectAnswer(
    'synapsis',
    'bash',
    { command: 'python3 much.py' },
    { error: /memory limit was exceeded/, code: 'EXECUTION_ERROR' }
  )
  await expectAnswer(
    'opencode',
    'bash',
    { command: 'python3 much.py', description: 'Take much' },
    { output: /\(Command exceeded its memory limit\)/ }
  )
})
