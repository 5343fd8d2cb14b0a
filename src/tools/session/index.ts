import todoRead from './todo_read.ts'
import todoWrite from './todo_write.ts'

export default [todoWrite, todoRead]
