// Tests of the toolset of a terminal agent in Rust: the block of a call, pipelines with approval, background tasks, filters,
// names with the prefix mcp_.
// tier: full
import { TOOLS } from '../../../src/tools/index.ts'
import type { Json } from '../../start-app.ts'
import { runToolsetSteps } from './toolset-steps.ts'

/** Available under a name that the document has. */
const SERVED_OTHERWISE = ['shell_exec', 'list_background_tasks', 'get_background_task', 'editor_open']

const waiting = (tool_name: string, params: object, reason: string, background: boolean) => ({
  call_id: 'ID',
  tool_name,
  params,
  status: 'Pending',
  text: '',
  background,
  ...(background && { task_id: 'ID' }),
  reason,
  level: 'ask',
  digest: 'DIGEST',
  preview: 'PREVIEW'
})

runToolsetSteps({
  toolset: 'codey',
  files: { 'a.txt': 'one\n' },
  steps: [
    {
      says: 'a tool without approval',
      name: 'mcp_read_file',
      params: { path: 'a.txt' },
      answer: {
        call_id: 'ID',
        tool_name: 'mcp_read_file',
        params: { path: 'a.txt' },
        status: 'Complete',
        text: '     1\tone',
        background: false
      },
      own: { tool: 'read_file', params: { path: 'a.txt' } }
    },
    {
      says: 'its name without mcp_',
      name: 'read_file',
      params: { path: 'a.txt' },
      answer: {
        call_id: 'ID',
        tool_name: 'mcp_read_file',
        params: { path: 'a.txt' },
        status: 'Complete',
        text: '     1\tone',
        background: false
      }
    },
    {
      says: 'invalid params',
      name: 'mcp_read_file',
      params: {},
      status: 400,
      answer: {
        tool_name: 'mcp_read_file',
        params: {},
        status: 'Error',
        text: '/params/path is required.',
        background: false,
        code: 'INVALID_PARAMS'
      }
    },
    {
      says: 'a tool with approval',
      name: 'mcp_shell',
      params: { command: 'echo hi' },
      waits: waiting('mcp_shell', { command: 'echo hi' }, 'Appears to only read, but no sandbox enforces that.', false),
      answer: {
        call_id: 'ID',
        tool_name: 'mcp_shell',
        params: { command: 'echo hi' },
        status: 'Complete',
        text: 'hi\n[Exit code 0]',
        background: false
      }
    },
    {
      says: 'denied',
      name: 'mcp_write_file',
      params: { path: 'a.txt', content: 'x' },
      waits: waiting('mcp_write_file', { path: 'a.txt', content: 'x' }, 'Modifies files.', false),
      decides: { approved: false },
      answer: {
        call_id: 'ID',
        tool_name: 'mcp_write_file',
        params: { path: 'a.txt', content: 'x' },
        status: 'Denied',
        text: 'User rejected the operation',
        background: false,
        code: 'PERMISSION_DENIED'
      },
      files: { 'a.txt': 'one\n' }
    },
    {
      says: 'an error',
      name: 'mcp_read_file',
      params: { path: 'none' },
      answer: {
        call_id: 'ID',
        tool_name: 'mcp_read_file',
        params: { path: 'none' },
        status: 'Error',
        text: '"none" does not exist.',
        background: false,
        code: 'FILE_NOT_FOUND'
      }
    },
    {
      says: 'in the background',
      name: 'mcp_shell',
      params: { command: 'sleep 1; echo done', background: true },
      waits: waiting(
        'mcp_shell',
        { command: 'sleep 1; echo done' },
        'Appears to only read, but no sandbox enforces that.',
        true
      ),
      answer: {
        call_id: 'ID',
        tool_name: 'mcp_shell',
        params: { command: 'sleep 1; echo done' },
        status: 'Complete',
        text: 'done\n[Exit code 0]',
        background: true,
        task_id: 'ID'
      }
    },
    {
      says: 'tasks',
      name: 'list_background_tasks',
      params: {},
      answer: {
        call_id: 'ID',
        tool_name: 'mcp_list_background_tasks',
        params: {},
        status: 'Complete',
        text: 'ID Complete: mcp_shell',
        background: false
      }
    }
  ],
  async also(t, app) {
    const { tools } = await app.get('/tools?toolset=codey')
    const names: string[] = tools.map(({ name }: Json) => name)
    t.strictSame(names.slice(0, 4), [
      'mcp_shell',
      'mcp_ide_open',
      'mcp_list_background_tasks',
      'mcp_get_background_task'
    ])
    for (const { name } of TOOLS.filter(tool => !tool.traits?.listed && !SERVED_OTHERWISE.includes(tool.name)))
      t.ok(names.includes(`mcp_${name}`), `${name} is served`)
    for (const { input } of tools) t.match(input.properties.background, { type: 'boolean', description: /task_id/ })

    const ask = async (tool: string, params: object) =>
      (await app.request('POST', '/calls?toolset=codey', { tool, params })).body
    const { call_id, digest } = await ask('mcp_shell', {
      command: 'echo begun; until [ -e go ]; do sleep 0.02; done; echo done',
      background: true
    })
    const running = (
      await app.request('POST', '/approve?toolset=codey', { tool_call_id: call_id, digest, confirm: true })
    ).body
    t.match(running, { status: 'Running', background: true, task_id: call_id }, 'the task_id comes at once')
    app.write('go', '')
    await app.get(`/calls/${call_id}?wait_ms=120000`)
    const task = await ask('mcp_get_background_task', { task_id: running.task_id })
    t.match(task, { status: 'Complete', text: /begun\ndone/ }, 'the output is kept until it is asked for')
  }
})
