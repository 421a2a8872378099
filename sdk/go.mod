module paceline/sdk

go 1.26
