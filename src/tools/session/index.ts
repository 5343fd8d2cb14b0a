import agentAction from './agent_action.ts'
import todoRead from './todo_read.ts'
import todoWrite from './todo_write.ts'

export default [todoWrite, todoRead]

export { agentAction }
