/** A consistent read costs one read unit for each 4 KB (AWS: DynamoDB read consumption). */
export const bytesPerReadUnit = 4096;
