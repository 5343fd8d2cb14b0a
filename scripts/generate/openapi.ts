// Generates openapi.yaml from the route schemas and the event union.
import { describeApi } from '../openapi/describe-api.ts'

export const generateOpenApi = async () => ({ 'openapi.yaml': await describeApi() })
