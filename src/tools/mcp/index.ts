import mcpTool from './mcp_tool.ts'

export default [mcpTool]
