module paceline

go 1.26
