import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { ToolError } from '../../errors.ts'
import { redactParamsForDecision } from '../../text/secrets/credentials.ts'
import { defineTool } from '../../tool/tool.ts'

const ruleName = (name: string) => `agent:${name}`

export default defineTool({
  name: 'agent_action',
  category: 'session',
  description:
    'Requests approval for a tool of the agent that has no equivalent here. Requires `executor: "client"`. Rules match it as `agent:<name>`.',
  input: Type.Object(
    {
      name: Type.String({ minLength: 1, maxLength: 128, description: 'Name of the tool at the agent.' }),
      title: Type.Optional(Type.String({ maxLength: 500, description: 'Summary of the action, in one line.' })),
      input: Type.Optional(Type.Unknown({ description: 'Input of the tool, shown to the approver.' }))
    },
    { additionalProperties: false }
  ),
  output: Type.Object({
    executor: Type.Literal('client', { description: 'The action is allowed, and the agent can perform it.' })
  }),
  timeout_ms: 5_000,
  effect: 'execute',
  traits: { listed: 'never' },
  request({ name }, { call: { executor } }) {
    if (executor !== 'client')
      throw new ToolError(
        'INVALID_PARAMS',
        'agent_action requires `executor: "client"`, because the server cannot run tools of an agent.'
      )
    return {
      externalTool: { names: [ruleName(name)], definition: createHash('sha256').update(name).digest('hex') },
      reasons: { approval: `The agent wants to use its tool ${name}.` }
    }
  },
  plan: ({ name, title, input = {} }) => ({
    state: undefined,
    preview: () => ({
      title: title === undefined ? name : `${name}: ${title}`,
      text: JSON.stringify(redactParamsForDecision(input), null, 2)
    })
  }),
  run() {
    throw new ToolError('EXECUTION_ERROR', 'The server cannot run tools of an agent.')
  },
  present: () => ({ title: 'agent_action', content: '' })
})
